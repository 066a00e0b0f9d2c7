// SPDX-License-Identifier: MIT
#include "core/skinning/palette.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "core/math/polar.h"
#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr double kAffineTolerance = 1e-6;  // rounding that a general inverse may leave in the last row

template <class T>
constexpr double kRankTolerance = std::is_same_v<T, float> ? kRankToleranceFloat : kRankToleranceDouble;

template <class To, class From>
Mat3<To> cast(const Mat3<From>& a) {
  Mat3<To> result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.m[i][j] = static_cast<To>(a.m[i][j]);
  }
  return result;
}
template <class To, class From>
Affine<To> cast(const Affine<From>& a) {
  Affine<To> result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) result.m[i][j] = static_cast<To>(a.m[i][j]);
  }
  return result;
}
template <class To, class From>
Vec3<To> cast(const Vec3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
template <class To, class From>
Quat<To> cast(const Quat<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z), static_cast<To>(a.w)};
}

template <class T>
const Affine<T>& bind_of(const SkinBind::Row& row) {
  if constexpr (std::is_same_v<T, float>) {
    return row.joint_from_bind_float;
  } else {
    return row.joint_from_bind;
  }
}

// x * 0 is NaN for infinity and NaN, else zero.
template <class T, int R>
bool is_finite(const T (&m)[R][4]) {
  T sum = 0;
  for (const auto& row : m) sum += row[0] * 0 + row[1] * 0 + row[2] * 0 + row[3] * 0;
  return sum == 0;
}
template <class T>
bool has_affine_last_row(const Mat4<T>& a) {
  const auto near = [](T value, T wanted) { return std::abs(value - wanted) <= T(kAffineTolerance); };
  return near(a.m[3][0], 0) && near(a.m[3][1], 0) && near(a.m[3][2], 0) && near(a.m[3][3], 1);
}

template <class T>
T largest_entry(const Mat3<T>& a) {
  T largest = 0;
  for (const auto& row : a.m) {
    for (const T entry : row) largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

template <class T>
Mat3<T> less_identity(const Mat3<T>& a) {
  return a + T(-1) * Mat3<T>::identity();
}

// The rotation of a matrix that is one but for rounding; false where it may be more than that. One step of
// Newton and Schulz, X (3 I - X^T X) / 2, leaves 3/2 of the square of the error.
template <class T>
bool nearly_rotation(const Mat3<T>& m, Mat3<T>& rotation) {
  // S = I + E gives G - I = 2 E + E^2: within this, E is surely below kRigidTolerance.
  constexpr double kSurelyRigid = 1.9 * kRigidTolerance;
  const Mat3<T> off = less_identity(transpose(m) * m);
  if (!(largest_entry(off) < T(kSurelyRigid)) || determinant(m) < 0) return false;
  rotation = m + T(-0.5) * (m * off);
  if constexpr (std::is_same_v<T, double>) {
    rotation = rotation + -0.5 * (rotation * less_identity(transpose(rotation) * rotation));
  }
  return true;
}

// Runs row_body(frame, row, model_from_joint, model_from_bind, out index) over all, and reports the first bad
// matrix.
template <class T, class Body>
Error for_each_row(const PaletteInput<T>& input, double nanoseconds_per_row, const Body& body) {
  const auto rows = input.skin->rows();
  const std::size_t frame_count = input.joint_count ? input.model_from_joint.size() / input.joint_count : 0;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> first_bad{kNone};
  parallel_for(frame_count, 1, nanoseconds_per_row * static_cast<double>(rows.size()),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t frame = begin; frame < end; ++frame) {
                   const Mat4<T>* const model = input.model_from_joint.data() + frame * input.joint_count;
                   for (std::size_t s = 0; s < rows.size(); ++s) {
                     const Mat4<T>& from_joint = model[rows[s].joint];
                     const Affine<T> m = affine_from(from_joint) * bind_of<T>(rows[s]);
                     const std::size_t index = frame * rows.size() + s;
                     if (!is_finite(m.m) || !has_affine_last_row(from_joint)) {
                       std::size_t seen = first_bad.load();
                       while (index < seen && !first_bad.compare_exchange_weak(seen, index)) {
                       }
                       return;
                     }
                     body(rows[s], from_joint, m, index);
                   }
                 }
               });
  const std::size_t bad = first_bad.load();
  if (bad == kNone) return {};
  const std::size_t frame = bad / rows.size(),
                    joint = static_cast<std::size_t>(rows[bad % rows.size()].joint);
  const bool affine = has_affine_last_row(input.model_from_joint[frame * input.joint_count + joint]);
  return Error(
      "model at batch item " + std::to_string(frame) + ", joint " + std::to_string(joint) +
      (affine
           ? " is not finite; look for NaN or infinity in the pose"
           : " must have the last row 0, 0, 0, 1; pass matrices of column vectors, as model_matrices gives"));
}

template <class T>
Error check_sizes(const PaletteInput<T>& input) {
  const auto joint_limit = static_cast<std::size_t>(input.skin->joint_limit());
  if (input.joint_count >= joint_limit) return {};
  return Error("model has " + std::to_string(input.joint_count) + " joints, but the skin uses joint " +
               std::to_string(joint_limit - 1) + "; pass the matrices of the skeleton it was made for");
}

// Rotation of an M that may scale, shear, mirror or lose axes.
template <class T>
Mat3<double> general_rotation(const SkinBind::Row& row, const Mat4<T>& from_joint) {
  const Mat3<double> joint = cast<double>(affine_from(from_joint).linear());
  const Mat3<double> m = joint * row.joint_from_bind.linear();
  // The joint's own rotation, asked for only where M has lost axes; what the joint has lost, it takes from
  // the bind pose.
  const Mat3<double>& bind = row.joint_from_bind_rotation;
  const Mat3<double> own = rotation_of_axes(joint, transpose(bind), kRankTolerance<T>) * bind;
  return polar_rotation(m, own, kRankTolerance<T>);
}

}  // namespace

Error SkinBind::make(std::span<const std::int32_t> joints, std::span<const Mat4<double>> joint_from_bind,
                     SkinBind& out) {
  SkinBind made;
  made.rows_.reserve(joints.size());
  for (std::size_t s = 0; s < joints.size(); ++s) {
    const auto at = [&](const char* array) { return array + ("[" + std::to_string(s) + "]"); };
    if (joints[s] < 0) {
      return Error(at("joints") + " must be at least 0, got " + std::to_string(joints[s]) +
                   "; every row of a skin follows a joint");
    }
    if (!is_finite(joint_from_bind[s].m)) return Error(at("joint_from_bind") + " is not finite");
    if (!has_affine_last_row(joint_from_bind[s])) {
      return Error(at("joint_from_bind") +
                   " must have the last row 0, 0, 0, 1; transpose matrices that are stored by columns");
    }
    const Affine<double> bind = affine_from(joint_from_bind[s]);
    Row row{joints[s], cast<float>(bind), bind, {0, 0, 0}, {}};
    if (is_invertible(bind.linear(), kRankToleranceFloat)) row.pivot = inverse(bind).translation();
    row.joint_from_bind_rotation =
        rotation_of_axes(bind.linear(), Mat3<double>::identity(), kRankToleranceFloat);
    made.rows_.push_back(row);
    made.joint_limit_ = std::max(made.joint_limit_, joints[s] + 1);
  }
  out = std::move(made);
  return {};
}

template <class T>
Error PaletteMatricesJob<T>::run() const {
  if (Error error = check_sizes(input)) return error;
  return for_each_row(input, 5,
                      [&](const SkinBind::Row&, const Mat4<T>&, const Affine<T>& m, std::size_t index) {
                        out[index] = mat4_from(m);
                      });
}

template <class T>
Error PaletteDualQuatsJob<T>::run() {
  if (Error error = check_sizes(input)) return error;
  std::atomic<bool> all_rigid{true};
  Error error = for_each_row(
      input, 25,
      [&](const SkinBind::Row& row, const Mat4<T>& from_joint, const Affine<T>& m, std::size_t index) {
        Mat3<T> rotation;
        if (!nearly_rotation(m.linear(), rotation)) {
          const Mat3<double> r = general_rotation(row, from_joint);
          rotation = cast<T>(r);
          const Mat3<double> stretch = transpose(r) * cast<double>(m.linear());
          if (!(largest_entry(less_identity(stretch)) < kRigidTolerance))
            all_rigid.store(false, std::memory_order_relaxed);
        }
        // M c - rotation c, with the difference taken first: the terms are large and nearly equal.
        const Mat3<T> rest = m.linear() + T(-1) * rotation;
        const Vec3<T> translation = m.translation() + rest * cast<T>(row.pivot);
        out[index] = dual_quat_from(quat_from(rotation), translation);
      });
  rigid = all_rigid.load();
  return error;
}

template <class T>
Error PaletteScalesJob<T>::run() const {
  if (Error error = check_sizes(input)) return error;
  return for_each_row(input, 20,
                      [&](const SkinBind::Row& row, const Mat4<T>&, const Affine<T>& m, std::size_t index) {
                        const Mat3<double> rotation = mat3_from(cast<double>(dual_quats[index].real));
                        const Mat3<double> s = transpose(rotation) * cast<double>(m.linear());
                        out[index] = cast<T>(affine_from(s, row.pivot - s * row.pivot));
                      });
}

template struct PaletteMatricesJob<float>;
template struct PaletteMatricesJob<double>;
template struct PaletteDualQuatsJob<float>;
template struct PaletteDualQuatsJob<double>;
template struct PaletteScalesJob<float>;
template struct PaletteScalesJob<double>;

}  // namespace lissom
