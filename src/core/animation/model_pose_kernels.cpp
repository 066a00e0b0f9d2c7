// SPDX-License-Identifier: MIT
#include "core/animation/model_pose_kernels.h"

#include "core/animation/pose_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// ---- One pose: local matrices of kWidth joints at a time, then each joint times its parent. ----

LISSOM_INLINE void write_locals(const float* trs, float* matrices) {
  const Affine<L> locals = load_locals([&](int lane) LISSOM_LAMBDA_INLINE { return trs + lane * kTrs; });
  store_upper(locals, [&](int lane) LISSOM_LAMBDA_INLINE { return matrices + lane * kMatrix; });
}

void write_all_locals(const float* trs, std::size_t count, float* matrices) {
  std::size_t begin = 0;
  for (; begin + kWidth <= count; begin += kWidth)
    write_locals(trs + begin * kTrs, matrices + begin * kMatrix);
  const std::size_t rest = count - begin;
  if (!rest) return;
  // Idle lanes of the last block repeat its last joint.
  const auto joint = [&](int lane) LISSOM_LAMBDA_INLINE {
    return begin + (static_cast<std::size_t>(lane) < rest ? static_cast<std::size_t>(lane) : rest - 1);
  };
  const Affine<L> locals =
      load_locals([&](int lane) LISSOM_LAMBDA_INLINE { return trs + joint(lane) * kTrs; });
  store_upper(locals, [&](int lane) LISSOM_LAMBDA_INLINE { return matrices + joint(lane) * kMatrix; });
}

// A 4x4 matrix as whole vectors. 256 bits at most: wider ones straddle cache lines and their store-to-load
// forwarding is slower, which is the latency of a chain of joints.
#if LISSOM_WIDTH == 4
using Rows = Float4;
LISSOM_INLINE Rows repeat_row(Float4 row) { return row; }
LISSOM_INLINE Rows with_last_row(Rows) { return kLastRow; }
#else
using Rows = Float8;
LISSOM_INLINE Rows repeat_row(Float4 row) { return join(row, row); }
LISSOM_INLINE Rows with_last_row(Rows rows) {
  return __builtin_shufflevector(rows, repeat_row(kLastRow), 0, 1, 2, 3, 12, 13, 14, 15);
}
#endif
constexpr int kRowsWidth = sizeof(Rows) / sizeof(float);
constexpr int kParts = kMatrix / kRowsWidth;

void compose_one(const std::int32_t* parents, std::size_t joint_count, const float* pose, float* matrices) {
  write_all_locals(pose, joint_count, matrices);
  // Of the previous joint, which often is the parent: kept in registers.
  Rows parent[kParts] = {};
  for (std::size_t joint = 0; joint < joint_count; ++joint) {
    float* matrix = matrices + joint * kMatrix;
    const Rows b[4] = {repeat_row(load_as<Float4>(matrix)), repeat_row(load_as<Float4>(matrix + 4)),
                       repeat_row(load_as<Float4>(matrix + 8)), repeat_row(kLastRow)};
    if (parents[joint] < 0) {
      for (int part = 0; part < kParts; ++part) parent[part] = load_as<Rows>(matrix + part * kRowsWidth);
    } else {
      if (parents[joint] + 1 != static_cast<std::int64_t>(joint)) {
        const float* from = matrices + static_cast<std::size_t>(parents[joint]) * kMatrix;
        for (int part = 0; part < kParts; ++part) parent[part] = load_as<Rows>(from + part * kRowsWidth);
      }
      for (int part = 0; part < kParts; ++part) {
        const Rows a = parent[part];
        parent[part] = (in_lanes<0, 0, 0, 0>(a, a) * b[0] + in_lanes<1, 1, 1, 1>(a, a) * b[1]) +
                       (in_lanes<2, 2, 2, 2>(a, a) * b[2] + in_lanes<3, 3, 3, 3>(a, a) * b[3]);
      }
    }
    // NaN times the zeros of the last row would propagate into it.
    parent[kParts - 1] = with_last_row(parent[kParts - 1]);
    for (int part = 0; part < kParts; ++part) store(matrix + part * kRowsWidth, parent[part]);
  }
}

// ---- kWidth poses side by side: the same joint of each in one vector. ----

constexpr std::size_t kLine = 64 / sizeof(float);  // of the cache

// One line past the caches; `to` is the beginning of one.
LISSOM_INLINE void stream_line(const float* from, float* to) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  _mm512_stream_ps(to, (__m512)load(from));
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  for (std::size_t i = 0; i < kLine; i += 8) _mm256_stream_ps(to + i, (__m256)load(from + i));
#elif defined(LISSOM_VECTOR_X86)
  for (std::size_t i = 0; i < kLine; i += 4) _mm_stream_ps(to + i, (__m128)load(from + i));
#else
  for (std::size_t i = 0; i < kLine; i += 4) store(to + i, load(from + i));
#endif
}

// How far into its line of the cache a place in memory is, in floats.
LISSOM_INLINE std::size_t into_line(const float* place) {
  return reinterpret_cast<std::uintptr_t>(place) / sizeof(float) % kLine;
}

// The same copy past the caches, by whole lines: what is left of the last one is kept before `from`, where the next copy
// of the pose takes it from. Only the lines at both ends of a pose, which others complete, are written as parts.
LISSOM_INLINE void stream_matrices(float* from, std::size_t count, float* to, bool is_first, bool is_last) {
  const std::size_t into = into_line(to);
  const float* const end = from + count * kMatrix;
  const float* next = from;
  if (!is_first) {
    next -= into, to -= into;
  } else if (into) {
    __builtin_memcpy(to, next, (kLine - into) * sizeof(float));
    next += kLine - into, to += kLine - into;
  }
  for (; next + kLine <= end; next += kLine, to += kLine) stream_line(next, to);
  __builtin_memcpy(is_last ? to : from - into, next, into * sizeof(float));
}

// How matrices are stored.
enum class Way {
  kDirect,    // joint by joint
  kHalves,    // those of half of the poses at a time
  kQuarters,  // of a quarter
  kStreamed   // of all, to a buffer of a few joints, from which those of each pose are copied past the caches
};
// Joints whose matrices are computed before any is stored. As one loop, a joint has more instructions than processors look
// ahead, so that shuffles wait for the arithmetic; four poses have fewer.
constexpr std::size_t kChunkJoints = 16;
constexpr std::size_t kStageJoints = 8;
static_assert(kChunkJoints % kStageJoints == 0);
// A line of the cache before the joints, and no power of two, for the reason below.
constexpr std::size_t kStageStride = kLine + kStageJoints * kMatrix;

// Poses at distances of a multiple of a large power of two conflict for the same set of the first cache, of eight lines
// and more. Of a quarter of the poses, two lines each fit into it; that shuffles numbers twice.
LISSOM_INLINE bool is_crowded(std::size_t joint_count) { return kWidth == 16 && joint_count % 64 == 0; }

// The matrices of joints, those of fourths kFirst to kFirst + kCount - 1 of the poses.
template <int kFirst, int kCount, Lie kLie>
LISSOM_INLINE void store_fourths(const Affine<L>* models, std::size_t joint_count, float* to,
                                 std::size_t stride) {
  for (std::size_t joint = 0; joint < joint_count; ++joint) {
    const Affine<L> model = models[joint];  // for all stores, which could change it as far as compilers know
    store_fourth<kFirst, kLie>(model, to + joint * kMatrix, stride);
    if constexpr (kCount == 2) store_fourth<kFirst + 1, kLie>(model, to + joint * kMatrix, stride);
  }
}

// The matrices of joints of each pose, kStageJoints at a time.
LISSOM_INLINE void stream_models(const Affine<L>* models, std::size_t begin, std::size_t end,
                                 std::size_t joint_count, float* stage, float* matrices) {
  for (std::size_t next = begin; begin < end; begin = next) {
    next = end - begin < kStageJoints ? end : begin + kStageJoints;
    for (std::size_t joint = begin; joint < next; ++joint) {
      const Affine<L> model = models[joint];
      store_matrices(model, stage + kLine + (joint - begin) * kMatrix, kStageStride);
    }
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      stream_matrices(stage + kLine + lane * kStageStride, next - begin,
                      matrices + (lane * joint_count + begin) * kMatrix, begin == 0, next == joint_count);
    }
  }
}

template <Way kWay, Lie kLie>
void compose_side_by_side(const std::int32_t* parents, std::size_t joint_count, const float* poses,
                          float* matrices, float* scratch) {
  auto* const models = reinterpret_cast<Affine<L>*>(scratch);
  alignas(64) float stage[kWidth * kStageStride];
  const std::size_t pose_size = joint_count * kTrs, model_size = joint_count * kMatrix;
  for (std::size_t begin = 0, end = 0; begin < joint_count; begin = end) {
    end = joint_count - begin < kChunkJoints ? joint_count : begin + kChunkJoints;
    for (std::size_t joint = begin; joint < end; ++joint) {
      const float* trs = poses + joint * kTrs;
      Affine<L> model = load_locals(
          [&](int lane) LISSOM_LAMBDA_INLINE { return trs + static_cast<std::size_t>(lane) * pose_size; });
      if (parents[joint] >= 0) model = models[parents[joint]] * model;
      models[joint] = model;
      if constexpr (kWay == Way::kDirect) store_matrices(model, matrices + joint * kMatrix, model_size);
    }
    float* const to = matrices + begin * kMatrix;
    if constexpr (kWay == Way::kHalves) {
      store_fourths<0, 2, kLie>(models + begin, end - begin, to, model_size);
      store_fourths<2, 2, kLie>(models + begin, end - begin, to, model_size);
    } else if constexpr (kWay == Way::kQuarters) {
      store_fourths<0, 1, kLie>(models + begin, end - begin, to, model_size);
      store_fourths<1, 1, kLie>(models + begin, end - begin, to, model_size);
      store_fourths<2, 1, kLie>(models + begin, end - begin, to, model_size);
      store_fourths<3, 1, kLie>(models + begin, end - begin, to, model_size);
    } else if constexpr (kWay == Way::kStreamed) {
      stream_models(models, begin, end, joint_count, stage, matrices);
    }
  }
}

template <Lie kLie>
LISSOM_INLINE auto chosen_way(std::size_t joint_count, bool past_caches) {
  return past_caches               ? compose_side_by_side<Way::kStreamed, Lie::kAny>
         : kWidth == 4             ? compose_side_by_side<Way::kDirect, Lie::kAny>
         : is_crowded(joint_count) ? compose_side_by_side<Way::kQuarters, kLie>
                                   : compose_side_by_side<Way::kHalves, kLie>;
}

void compose_poses(const std::int32_t* parents, std::size_t joint_count, const float* poses,
                   std::size_t pose_count, float* matrices, float* scratch, bool past_caches) {
  const std::size_t pose_size = joint_count * kTrs, model_size = joint_count * kMatrix;
  const auto compose = lie_of(matrices) == Lie::kOddRow ? chosen_way<Lie::kOddRow>(joint_count, past_caches)
                                                        : chosen_way<Lie::kAny>(joint_count, past_caches);
  std::size_t pose = 0;
  for (; pose + kWidth <= pose_count; pose += kWidth) {
    compose(parents, joint_count, poses + pose * pose_size, matrices + pose * model_size, scratch);
  }
#if defined(LISSOM_VECTOR_X86)
  if (past_caches) _mm_sfence();  // before other threads read them
#endif
  for (; pose < pose_count; ++pose) {
    compose_one(parents, joint_count, poses + pose * pose_size, matrices + pose * model_size);
  }
}

}  // namespace

extern const ModelPoseKernels model_pose_kernels;
const ModelPoseKernels model_pose_kernels = {&compose_poses, 12 * kWidth, kWidth};

}  // namespace lissom::LISSOM_ISA
