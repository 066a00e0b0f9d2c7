// SPDX-License-Identifier: MIT
#include "core/players/transition_kernels.h"

#include "core/math/conventions.h"
#include "core/math/quat_log.h"
#include "core/simd/lanes.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;
constexpr std::size_t kLanes = D::kCount;
static_assert(kTransitionJoints % kLanes == 0);

struct Block {
  D translation[3], scale[3];
  Quat<D> rotation;
};

// Poses (J, 10) by blocks of joints, of which the last one is repeated.
class Poses {
 public:
  Poses(const double* poses, std::size_t joint_count) : poses_(poses), joint_count_(joint_count) {}

  // As double, into `room`.
  template <class T>
  static Poses converted(const T* poses, std::size_t joint_count, double* room) {
    for (std::size_t i = 0; i < joint_count * kTrsScalars; ++i) room[i] = static_cast<double>(poses[i]);
    return Poses(room, joint_count);
  }
  static Poses converted(const double* poses, std::size_t joint_count, double*) {
    return Poses(poses, joint_count);
  }

  LISSOM_INLINE Block block(std::size_t first) const {
    D n[kTrsScalars];
    const std::size_t last = joint_count_ - 1;
    load_rows<kTrsScalars>(
        [&](int lane) LISSOM_LAMBDA_INLINE {
          const std::size_t joint = first + static_cast<std::size_t>(lane);
          return poses_ + (joint < last ? joint : last) * kTrsScalars;
        },
        n);
    return {{n[0], n[1], n[2]}, {n[7], n[8], n[9]}, {n[3], n[4], n[5], n[6]}};
  }

 private:
  const double* poses_;
  std::size_t joint_count_;
};

// The pose moved back by the step that leads from `now` to `ahead`.
LISSOM_INLINE Block extrapolated_back(const Block& pose, const Block& now, const Block& ahead) {
  Block back;
  for (int i = 0; i < 3; ++i) {
    back.translation[i] = pose.translation[i] + (now.translation[i] - ahead.translation[i]);
    back.scale[i] = pose.scale[i] + (now.scale[i] - ahead.scale[i]);
  }
  back.rotation = now.rotation * conjugate(ahead.rotation) * pose.rotation;
  return back;
}

// Writes the nine numbers of the difference, and returns its rotation: along the shorter arc, or of the sign that is
// nearest to `near`.
LISSOM_INLINE Quat<D> difference_of(const Block& pose, const Block& target, const Quat<D>* near, D* values) {
  const Quat<D> apart = conjugate(target.rotation) * pose.rotation;
  const D side = near == nullptr ? apart.w : dot(apart, *near);
  const D sign = select(side < D(0), D(-1), D(1));
  const Quat<D> rotation = {apart.x * sign, apart.y * sign, apart.z * sign, apart.w * sign};
  const Vec3<D> half = log_vector(rotation);
  for (int i = 0; i < 3; ++i) {
    values[i] = pose.translation[i] - target.translation[i];
    values[6 + i] = pose.scale[i] - target.scale[i];
  }
  values[3] = D(2) * half.x, values[4] = D(2) * half.y, values[5] = D(2) * half.z;
  return rotation;
}

template <class T>
void differences(const TransitionPoses<T>& poses, std::size_t joint_count, std::size_t stride, double* room,
                 double* difference, double* velocity) {
  const bool moves = poses.before != nullptr;
  const std::size_t size = joint_count * kTrsScalars;
  const Poses shown = Poses::converted(poses.shown, joint_count, room),
              target = Poses::converted(poses.target, joint_count, room + size),
              before = moves ? Poses::converted(poses.before, joint_count, room + 2 * size) : target,
              now = moves ? Poses(poses.now, joint_count) : target,
              ahead = moves ? Poses(poses.ahead, joint_count) : target;
  for (std::size_t first = 0; first < stride; first += kLanes) {
    const Block goal = target.block(first);
    D values[9], past[9];
    const Quat<D> rotation = difference_of(shown.block(first), goal, nullptr, values);
    if (moves) {
      const Block back = extrapolated_back(goal, now.block(first), ahead.block(first));
      difference_of(before.block(first), back, &rotation, past);
    }
    for (std::size_t i = 0; i < 9; ++i) {
      const D speed = moves ? (values[i] - past[i]) / D(poses.dt) : D(0);
      store(difference + i * stride + first, values[i].v);
      store(velocity + i * stride + first, speed.v);
    }
  }
}

// A difference below this has no direction (metres, radians, factors): rounding of float32 poses is larger.
constexpr double kLeastDifference = 1e-12;

LISSOM_INLINE D row(const double* rows, std::size_t stride, int index, std::size_t at) {
  return load_as<Double>(rows + static_cast<std::size_t>(index) * stride + at);
}

// What quintic_at (quintic.h) needs of x(t), in units of the time it takes: class Quintic of lissom.
double start_quintic(const double* difference, const double* velocity, int kinds, int width,
                     std::size_t stride, double duration, double* curve) {
  D latest = D(0);
  const auto put = [&](int index, std::size_t at, D value) LISSOM_LAMBDA_INLINE {
    store(curve + static_cast<std::size_t>(index) * stride + at, value.v);
  };
  for (std::size_t at = 0; at < stride; at += kLanes) {
    for (int kind = 0; kind < kinds; ++kind) {
      D apart[3], square = D(0);
      for (int i = 0; i < width; ++i) {
        apart[i] = row(difference, stride, kind * width + i, at);
        square = i == 0 ? apart[i] * apart[i] : square + apart[i] * apart[i];
      }
      const D x0 = sqrt(square);
      const auto differs = x0 > D(kLeastDifference);
      const D share = select(differs, D(1) / select(differs, x0, D(1)), D(0));
      D along = D(0);
      for (int i = 0; i < width; ++i) {
        const D direction = share * apart[i];
        const D part = row(velocity, stride, kind * width + i, at) * direction;
        along = i == 0 ? part : along + part;
        put(kind * width + i, at, direction);
      }
      const D speed = select(along < D(0), along, D(0));
      // Without this the polynomial would have to come back from beyond zero.
      const auto falls = speed < D(0);
      const D least = select(falls, D(-5) * x0 / select(falls, speed, D(-1)), D(duration));
      const D end = select(least < D(duration), least, D(duration));
      const D time = select(differs, end, D(duration));
      const int after_directions = kinds * width;
      put(after_directions + kind, at, speed * time);
      put(after_directions + kinds + kind, at, x0);
      put(after_directions + 2 * kinds + kind, at, time);
      const D ended = select(differs, end, D(0));
      latest = select(ended > latest, ended, latest);
    }
  }
  double last = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) last = latest.v[lane] > last ? latest.v[lane] : last;
  return last;
}

}  // namespace

extern const TransitionKernels transition_kernels;
const TransitionKernels transition_kernels = {&differences<float>, &differences<double>, &start_quintic};

}  // namespace lissom::LISSOM_ISA
