// SPDX-License-Identifier: MIT
#include "core/ik/foot_placement.h"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "core/ik/foot_kernels.h"
#include "core/ik/two_bone.h"
#include "core/math/conventions.h"
#include "core/parallel/scratch.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(FootKernels, foot_kernels)

namespace {

// Characters that go through all steps together: whole vectors of the widest kernels, few enough for the second cache.
constexpr std::size_t kTogether = 16;

// The buffers of some characters, on one thread.
class Chunk {
 public:
  Chunk(const FootPlan& plan, const IkTree& tree)
      : plan_(plan), tree_(tree), pose_size_(plan.joint_count * kTrsScalars), leg_count_(plan.legs.size()) {
    poses.resize(kTogether * pose_size_);
    solved.resize(poses.size());
    targets.resize(kTogether * leg_count_ * 3);
    rotations.resize(kTogether * leg_count_ * 4);
    angles_.resize(kTogether * leg_count_);
    iterations_.resize(kTogether);
    reached_.resize(kTogether * leg_count_);
    limited_.resize(kTogether * plan.joint_count);
  }

  // Legs of the first `count` poses.
  Error solve(std::size_t count, std::span<double> residuals) {
    static constexpr double kWhole[] = {1.0};
    TwoBoneJob<double> job;
    job.tree = &tree_;
    job.poses = std::span(poses).first(count * pose_size_);
    job.targets = std::span(targets).first(count * leg_count_ * 3);
    job.orientations = std::span(rotations).first(count * leg_count_ * 4);
    job.weights = kWhole;
    job.max_iterations = 60;
    job.out = std::span(solved).first(count * pose_size_);
    job.residuals = residuals;
    job.angles = std::span(angles_).first(count * leg_count_);
    job.iterations = std::span(iterations_).first(count);
    job.reached = std::span(reached_).first(count * leg_count_);
    job.limited = std::span(limited_).first(count * plan_.joint_count);
    return job.run();
  }

  std::vector<double> poses, solved, targets, rotations;

 private:
  const FootPlan& plan_;
  const IkTree& tree_;
  std::size_t pose_size_, leg_count_;
  std::vector<double> angles_;
  std::vector<std::int32_t> iterations_;
  std::vector<std::uint8_t> reached_, limited_;
};

}  // namespace

std::size_t foot_state_size(const FootPlan& plan) {
  return 2 + 10 + 12 * plan.frames.size() + 3 + 6 + 2 + plan.legs.size() * (3 + 3 + 12 + 2 + 2 + 1);
}

template <class T>
Error FootPlacementJob<T>::validate() const {
  if (!plan || !legs) return Error("plan and legs must be given");
  if (Error error = plan->check()) return error;
  if (Error error = ground.check("ground")) return error;
  if (Error error = body_ground.check("body_ground")) return error;
  const std::size_t count = dt.size(), feet = count * plan->legs.size();
  const std::size_t pose_size = plan->joint_count * kTrsScalars, state = count * foot_state_size(*plan);
  if (legs->chain_count() != plan->legs.size() || legs->joint_count() != plan->joint_count) {
    return Error("legs must be those of the plan");
  }
  if (poses.size() != count * pose_size || out.size() != poses.size())
    return Error("poses must be as many as dt");
  if (!contacts.empty() && contacts.size() != feet) return Error("contacts must hold a number for each leg");
  if (!world.empty() && world.size() != count * kTrsScalars)
    return Error("world must hold a trs for each pose");
  if (before.size() != state || after.size() != state) return Error("states must be as many as poses");
  if (used_contacts.size() != feet || targets.size() != 3 * feet || ground_heights.size() != feet ||
      normals.size() != 3 * feet || offsets.size() != feet || body_offset.size() != count ||
      weights.size() != feet || residuals.size() != feet || airborne.size() != feet ||
      too_far.size() != feet) {
    return Error("outputs must have an entry for each leg");
  }
  return {};
}

template <class T>
Error FootPlacementJob<T>::run(bool* done) const {
  *done = true;
  if (Error error = validate()) return error;
  const FootKernels& kernels = foot_kernels();
  const std::size_t leg_count = plan->legs.size(), pose_size = plan->joint_count * kTrsScalars;
  const std::size_t state_size = foot_state_size(*plan);
  std::atomic<bool> is_fine = true;
  constexpr double kNanosecondsPerPoint = 15, kNanosecondsPerLeg = 500;
  const double cost = kNanosecondsPerPoint * static_cast<double>(plan->point_count()) +
                      kNanosecondsPerLeg * static_cast<double>(leg_count);
  parallel_for(dt.size(), kTogether, cost, [&](std::size_t begin, std::size_t end) {
    Chunk chunk(*plan, *legs);
    Scratch scratch(kernels.scratch_bytes(*plan, kTogether));
    for (std::size_t first = begin; first < end && is_fine; first += kTogether) {
      const std::size_t count = std::min(kTogether, end - first), leg = first * leg_count;
      const auto given = [&](std::span<const double> rows, std::size_t size) {
        return rows.empty() ? nullptr : rows.data() + first * size;
      };
      FootBatch batch;
      batch.count = count;
      batch.poses = chunk.poses.data();
      batch.dt = dt.data() + first;
      batch.contacts = given(contacts, leg_count);
      batch.world = given(world, kTrsScalars);
      batch.before = before.data() + first * state_size;
      batch.after = after.data() + first * state_size;
      batch.state_step = state_size;
      batch.ground = ground, batch.body_ground = body_ground;
      batch.targets_model = chunk.targets.data(), batch.rotations_model = chunk.rotations.data();
      batch.used_contacts = used_contacts.data() + leg;
      batch.targets = targets.data() + 3 * leg;
      batch.ground_heights = ground_heights.data() + leg;
      batch.normals = normals.data() + 3 * leg;
      batch.offsets = offsets.data() + leg;
      batch.body_offset = body_offset.data() + first;
      batch.weights = weights.data() + leg;
      batch.airborne = airborne.data() + leg, batch.too_far = too_far.data() + leg;
      const T* const from = poses.data() + first * pose_size;
      if constexpr (std::is_same_v<T, float>) {
        kernels.widen(from, chunk.poses.data(), count * pose_size);
      } else {
        std::copy(from, from + count * pose_size, chunk.poses.data());
      }
      const std::span<double> left = residuals.subspan(leg, count * leg_count);
      const auto solve = [&] {
        if (chunk.solve(count, left)) return false;
        kernels.finish(*plan, batch, chunk.solved.data(), scratch.data());
        return true;
      };
      bool fine = kernels.begin(*plan, batch, scratch.data()) && solve();
      if (fine && kernels.correct(*plan, batch, chunk.solved.data(), scratch.data())) fine = solve();
      if (!fine) {
        is_fine = false;
        return;
      }
      T* const to = out.data() + first * pose_size;
      if constexpr (std::is_same_v<T, float>) {
        kernels.narrow(chunk.solved.data(), to, count * pose_size);
      } else {
        std::copy(chunk.solved.data(), chunk.solved.data() + count * pose_size, to);
      }
    }
  });
  *done = is_fine;
  return {};
}

template struct FootPlacementJob<float>;
template struct FootPlacementJob<double>;

}  // namespace lissom
