// SPDX-License-Identifier: MIT
#include "core/skinning/pose_palette.h"

#include <atomic>
#include <string>
#include <vector>

#include "core/animation/model_pose.h"
#include "core/cache_line.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"
#include "core/skinning/palette.h"
#include "core/skinning/pose_palette_kernels.h"

namespace lissom {

LISSOM_KERNEL_TABLE(PosePaletteKernels, pose_palette_kernels)

namespace {

// The poses [begin, end), fewer than lanes, by the jobs in turn.
bool run_in_turn(const PosePaletteJob& job, std::size_t begin, std::size_t end) {
  const std::size_t joint_count = job.parents.size(), row_count = job.skin->rows().size();
  std::vector<Mat4<float>> model((end - begin) * joint_count);
  ModelPoseJob<float> compose;
  compose.parents = job.parents;
  compose.poses = job.poses.subspan(begin * joint_count * kTrsScalars, model.size() * kTrsScalars);
  compose.out = {&model[0].m[0][0], model.size() * kMatrixScalars};
  compose.are_parents_checked = true;
  if (compose.run()) return false;
  const PaletteInput<float> input = {job.skin, model, joint_count};
  if (!job.matrices.empty()) {
    const PaletteMatricesJob<float> palette = {
        input, job.matrices.subspan(begin * row_count, (end - begin) * row_count)};
    return !palette.run();
  }
  PaletteDualQuatsJob<float> palette = {input,
                                        job.dual_quats.subspan(begin * row_count, (end - begin) * row_count)};
  return !palette.run() && palette.rigid;
}

}  // namespace

Error PosePaletteJob::validate() const {
  const std::size_t joint_count = parents.size(), pose_size = joint_count * kTrsScalars;
  if (pose_size ? poses.size() % pose_size : poses.size()) {
    return Error("poses must hold whole poses of " + std::to_string(joint_count) + " joints");
  }
  if (static_cast<std::size_t>(skin->joint_limit()) > joint_count) {
    return Error("skin must use joints of the skeleton's " + std::to_string(joint_count) + ", got joint " +
                 std::to_string(skin->joint_limit() - 1));
  }
  const std::size_t rows = pose_size ? poses.size() / pose_size * skin->rows().size() : 0;
  if (matrices.size() + dual_quats.size() != rows || (!matrices.empty() && !dual_quats.empty()))
    return Error("one output must hold one row for each of " + std::to_string(rows) + ", the other none");
  return {};
}

Error PosePaletteJob::run() {
  is_done = false;
  if (Error error = validate()) return error;
  is_done = true;
  const bool has_matrices = !matrices.empty();
  if (!has_matrices && dual_quats.empty()) return {};
  const std::size_t joint_count = parents.size(), row_count = skin->rows().size();
  const std::size_t pose_size = joint_count * kTrsScalars, pose_count = poses.size() / pose_size;
  const auto numbers = static_cast<std::size_t>(has_matrices ? kMatrixScalars : kDualQuatScalars);
  const std::vector<BoundRow> rows = skin->bound_rows(numbers);
  const PosePaletteRig rig = {parents.data(), joint_count, rows.data(), row_count};
  const PosePaletteKernels& kernels = pose_palette_kernels();
  constexpr double kJointNanoseconds = 2, kRowNanoseconds = 4;
  const double nanoseconds =
      kJointNanoseconds * static_cast<double>(joint_count) + kRowNanoseconds * static_cast<double>(row_count);
  // Whole blocks of the widest kernel: which poses are computed side by side must not depend on threads.
  constexpr std::size_t kGrain = 16;
  std::atomic<bool> is_sound{true};
  parallel_for(pose_count, kGrain, nanoseconds, [&](std::size_t begin, std::size_t end) {
    const std::size_t whole = (end - begin) / kernels.width * kernels.width;
    bool sound = true;
    if (whole > 0) {
      std::vector<CacheLine<float>> scratch((joint_count * kernels.scratch_per_joint + 15) / 16);
      float* const out =
          has_matrices ? &matrices[begin * row_count].m[0][0] : &dual_quats[begin * row_count].real.x;
      sound = (has_matrices ? kernels.matrices : kernels.dual_quats)(rig, poses.data() + begin * pose_size,
                                                                     whole, scratch[0].numbers, out);
    }
    if (sound && begin + whole < end) sound = run_in_turn(*this, begin + whole, end);
    if (!sound) is_sound.store(false, std::memory_order_relaxed);
  });
  is_done = is_sound.load();
  return {};
}

}  // namespace lissom
