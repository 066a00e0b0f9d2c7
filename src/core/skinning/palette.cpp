// SPDX-License-Identifier: MIT
#include "core/skinning/palette.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/math/polar.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"
#include "core/skinning/palette_kernels.h"

namespace lissom {

LISSOM_KERNEL_TABLE(PaletteKernels, palette_kernels)

namespace {

template <class T>
constexpr bool kIsFloat = std::is_same_v<T, float>;
template <class T>
constexpr double kRankTolerance = kIsFloat<T> ? kRankToleranceFloat : kRankToleranceDouble;

// The numbers of an array of structs, for kernels.
template <class Struct>
const float* floats(const Struct* rows) {
  return reinterpret_cast<const float*>(rows);
}
template <class Struct>
float* floats(Struct* rows) {
  return reinterpret_cast<float*>(rows);
}

// Rough costs of a row, for the choice of threads.
template <class T>
constexpr double kMatrixNanoseconds = kIsFloat<T> ? 4 : 15;
template <class T>
constexpr double kDualQuatNanoseconds = kIsFloat<T> ? 4 : 100;
constexpr double kScaleNanoseconds = 30;

constexpr std::size_t kStatesAtOnce = 1024;

// One row of one frame.
template <class T>
struct Moment {
  const SkinBind::Row& row;
  const Mat4<T>& model_from_joint;
  Affine<T> model_from_bind;

  Moment(const PaletteInput<T>& input, std::size_t frame, std::size_t s)
      : row(input.skin->rows()[s]),
        model_from_joint(
            input.model_from_joint[frame * input.joint_count + static_cast<std::size_t>(row.joint)]) {
    const Affine<T> joint = affine_from(model_from_joint);
    if constexpr (kIsFloat<T>) {
      model_from_bind = joint * input.skin->joint_from_bind_float()[s];
    } else {
      model_from_bind = joint * row.joint_from_bind;
    }
  }

  bool is_finite() const {
    T zero = 0;  // NaN from infinity and NaN
    for (const auto& line : model_from_bind.m) zero += line[0] * 0 + line[1] * 0 + line[2] * 0 + line[3] * 0;
    return zero == 0;
  }
};

template <class T>
Mat3<T> less_identity(const Mat3<T>& a) {
  return a + T(-1) * Mat3<T>::identity();
}

// The rotation of a matrix that is one up to rounding; false where it may
// not be. A step of Newton and Schulz, X (3 - X^T X) / 2, leaves 3/2 of the
// square of the error: one suffices for float, two for double.
template <class T>
bool nearly_rotation(const Mat3<T>& m, Mat3<T>& rotation) {
  // With S = I + E, S^2 - I = 2 E + E^2: within this, E is certainly below kRigidTolerance.
  constexpr double kSurelyRigid = 1.9 * kRigidTolerance;
  const Mat3<T> gram = transpose(m) * m;
  if (!(largest_off_identity(gram) < T(kSurelyRigid)) || determinant(m) < 0) return false;
  rotation = m + T(-0.5) * (m * less_identity(gram));
  if constexpr (!kIsFloat<T>)
    rotation = rotation + T(-0.5) * (rotation * less_identity(transpose(rotation) * rotation));
  return true;
}

// The rotation of an M that may scale, shear, mirror or be singular.
template <class T>
Mat3<double> general_rotation(const Moment<T>& moment) {
  const Mat3<double> joint = cast<double>(affine_from(moment.model_from_joint).linear());
  const Mat3<double> m = joint * moment.row.joint_from_bind.linear();
  Mat3<double> r;
  if (regular_polar_rotation(m, r)) return r;
  // The joint's own rotation, for the null space of M;
  // for that of the joint, too, the rotation of the bind pose.
  const Mat3<double>& bind = moment.row.joint_from_bind_rotation;
  const Mat3<double> own = rotation_of_axes(joint, transpose(bind), kRankTolerance<T>) * bind;
  return polar_rotation(m, own, kRankTolerance<T>);
}

// R of one row; returns whether its |S - 1| is below kRigidTolerance.
template <class T>
bool split(const Moment<T>& moment, DualQuat<T>& out) {
  const Mat3<T> m = moment.model_from_bind.linear();
  Mat3<T> rotation;
  bool rigid = nearly_rotation(m, rotation);
  if (!rigid) {
    const Mat3<double> r = general_rotation(moment);
    rotation = cast<T>(r);
    rigid = largest_off_identity(transpose(r) * cast<double>(m)) < kRigidTolerance;
  }
  // M c - rotation c, with the difference taken first: the terms are large and nearly equal.
  const Vec3<T> rest = (m + T(-1) * rotation) * cast<T>(moment.row.pivot);
  out = dual_quat_from(quat_from(rotation), moment.model_from_bind.translation() + rest);
  return rigid;
}

// Runs body(begin, end), which returns false where a matrix is not finite or not affine, over parts of all frames.
template <class T, class Body>
Error for_each_frames(const PaletteInput<T>& input, double nanoseconds_per_row, const Body& body) {
  const std::size_t row_count = input.skin->rows().size();
  const auto joint_limit = static_cast<std::size_t>(input.skin->joint_limit());
  if (input.joint_count < joint_limit) {
    return Error("model has " + std::to_string(input.joint_count) + " joints, but the skin uses joint " +
                 std::to_string(joint_limit - 1) + "; pass the matrices of the skeleton it was made for");
  }
  const std::size_t frame_count = input.joint_count ? input.model_from_joint.size() / input.joint_count : 0;
  std::atomic<bool> is_sound{true};
  parallel_for(frame_count, 1, nanoseconds_per_row * static_cast<double>(row_count),
               [&](std::size_t begin, std::size_t end) {
                 if (!body(begin, end)) is_sound.store(false, std::memory_order_relaxed);
               });
  if (is_sound.load()) return {};
  // Rare: the first one that is wrong, whichever part met one.
  for (std::size_t i = 0; i < frame_count * row_count; ++i) {
    const std::size_t frame = i / row_count;
    const Moment<T> moment(input, frame, i % row_count);
    const auto at = [&] {
      return "model at batch item " + std::to_string(frame) + ", joint " + std::to_string(moment.row.joint);
    };
    if (!is_affine(moment.model_from_joint)) {
      return Error(
          at() +
          " must have the last row 0, 0, 0, 1; pass matrices for column vectors, as model_matrices gives");
    }
    if (!moment.is_finite()) {
      return Error(at() + " is not finite; look for NaN, infinity or huge numbers in the pose");
    }
  }
  return Error("a kernel refused a palette that is sound; report this as a bug of lissom");
}

// The same, by body(moment, index) for each row in turn.
template <class T, class Body>
Error for_each_row(const PaletteInput<T>& input, double nanoseconds_per_row, const Body& body) {
  const std::size_t row_count = input.skin->rows().size();
  return for_each_frames(input, nanoseconds_per_row, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * row_count; i < end * row_count; ++i) {
      const Moment<T> moment(input, i / row_count, i % row_count);
      if (!is_affine(moment.model_from_joint) || !moment.is_finite()) return false;
      body(moment, i);
    }
    return true;
  });
}

}  // namespace

template <class T>
Error PaletteMatricesJob<T>::run() const {
  if constexpr (kIsFloat<T>) {
    const PaletteKernelSkin skin = input.skin->kernel_skin();
    const PaletteKernels& kernels = palette_kernels();
    return for_each_frames(input, kMatrixNanoseconds<T>, [&](std::size_t begin, std::size_t end) {
      for (std::size_t frame = begin; frame < end; ++frame) {
        const float* const model = floats(input.model_from_joint.data() + frame * input.joint_count);
        if (kernels.matrices(skin, model, floats(out.data() + frame * skin.row_count)) != kRowRigid)
          return false;
      }
      return true;
    });
  } else {
    return for_each_row(input, kMatrixNanoseconds<T>, [&](const Moment<T>& moment, std::size_t index) {
      out[index] = mat4_from(moment.model_from_bind);
    });
  }
}

template <class T>
Error PaletteDualQuatsJob<T>::run() {
  std::atomic<bool> all_rigid{true};
  Error error;
  if constexpr (kIsFloat<T>) {
    const PaletteKernelSkin skin = input.skin->kernel_skin();
    const PaletteKernels& kernels = palette_kernels();
    if (skin.row_count == 0) return {};
    thread_local std::vector<std::ptrdiff_t> places;
    input.skin->find_places(input.joint_count, &places);
    const std::ptrdiff_t* const first_places = places.data();  // those of this thread, for all
    // So many frames at once that blocks of lanes are full, and few enough that their states stay in the first cache.
    const std::size_t most = 1 + kStatesAtOnce / skin.row_count;
    error = for_each_frames(input, kDualQuatNanoseconds<T>, [&](std::size_t begin, std::size_t end) {
      thread_local std::vector<std::uint8_t> states;
      for (; begin < end; begin += std::min(most, end - begin)) {
        const std::size_t count = std::min(most, end - begin);
        states.assign(count * skin.row_count, kRowRigid);
        const PaletteFrames frames = {floats(input.model_from_joint.data() + begin * input.joint_count),
                                      count, 16 * input.joint_count, first_places};
        DualQuat<T>* const rows = out.data() + begin * skin.row_count;
        if (kernels.dual_quats(skin, frames, floats(rows), states.data()) == kRowRigid) continue;
        for (std::size_t i = 0; i < states.size(); ++i) {
          if (states[i] != kRowUnknown) continue;
          const Moment<T> moment(input, begin + i / skin.row_count, i % skin.row_count);
          if (!is_affine(moment.model_from_joint) || !moment.is_finite()) return false;
          states[i] = split(moment, rows[i]) ? kRowRigid : kRowScaled;
        }
        if (std::count(states.begin(), states.end(), kRowScaled) > 0)
          all_rigid.store(false, std::memory_order_relaxed);
      }
      return true;
    });
  } else {
    error = for_each_row(input, kDualQuatNanoseconds<T>, [&](const Moment<T>& moment, std::size_t index) {
      if (!split(moment, out[index])) all_rigid.store(false, std::memory_order_relaxed);
    });
  }
  rigid = all_rigid.load();
  return error;
}

template <class T>
Error PaletteScalesJob<T>::run() const {
  return for_each_row(input, kScaleNanoseconds, [&](const Moment<T>& moment, std::size_t index) {
    const Mat3<double> rotation = mat3_from(cast<double>(dual_quats[index].real));
    const Mat3<double> s = transpose(rotation) * cast<double>(moment.model_from_bind.linear());
    const Vec3<double>& c = moment.row.pivot;
    const bool is_rigid = largest_off_identity(s) < kRigidTolerance;
    out[index] = is_rigid ? Affine<T>::identity() : cast<T>(affine_from(s, c - s * c));
  });
}

template <class T>
Error PaletteQuatTransJob<T>::run() const {
  if (out.size() != dual_quats.size()) {
    return Error("out must hold " + std::to_string(dual_quats.size()) + " rows, got " +
                 std::to_string(out.size()));
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = quat_trans_from(dual_quats[i]);
  return {};
}

template struct PaletteMatricesJob<float>;
template struct PaletteMatricesJob<double>;
template struct PaletteDualQuatsJob<float>;
template struct PaletteDualQuatsJob<double>;
template struct PaletteScalesJob<float>;
template struct PaletteScalesJob<double>;
template struct PaletteQuatTransJob<float>;
template struct PaletteQuatTransJob<double>;

}  // namespace lissom
