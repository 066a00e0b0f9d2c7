// SPDX-License-Identifier: MIT
#include "core/animation/model_pose_kernels.h"

#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

constexpr int kTrs = kTrsScalars, kMatrix = kMatrixScalars;

constexpr Float4 kLastRow = {0, 0, 0, 1};

// The local matrices of kWidth trs; `trs` returns a pointer for each lane.
template <class TrsOf>
LISSOM_INLINE Affine<L> load_locals(const TrsOf& trs) {
  L n[kTrs];
  load_rows<kTrs>(trs, n);
  return affine_from(Trs<L>{{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}});
}

// The upper three rows.
template <class MatrixOf>
LISSOM_INLINE void store_upper(const Affine<L>& affine, const MatrixOf& matrix) {
  for (int i = 0; i < 3; ++i) {
    store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return matrix(lane) + 4 * i; }, affine.m[i]);
  }
}

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

// kWidth matrices, last rows included, one every `stride` floats.
LISSOM_INLINE void store_matrices(const Affine<L>& a, float* to, std::size_t stride) {
#if LISSOM_WIDTH == 16
  Float rows[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) rows[i][j] = a.m[i][j].v;
    transpose_lanes(rows[i]);
  }
  const Float last = join(join(kLastRow, kLastRow), join(kLastRow, kLastRow));
  for (int i = 0; i < 4; ++i) {
    // Row by row each vector holds matrices i, i + 4, i + 8, i + 12: a 4x4 transpose of whole lanes.
    const Float ab_low = lanes<0, 1, 0, 1>(rows[0][i], rows[1][i]),
                ab_high = lanes<2, 3, 2, 3>(rows[0][i], rows[1][i]);
    const Float cd_low = lanes<0, 1, 0, 1>(rows[2][i], last), cd_high = lanes<2, 3, 2, 3>(rows[2][i], last);
    store(to + i * stride, lanes<0, 2, 0, 2>(ab_low, cd_low));
    store(to + (i + 4) * stride, lanes<1, 3, 1, 3>(ab_low, cd_low));
    store(to + (i + 8) * stride, lanes<0, 2, 0, 2>(ab_high, cd_high));
    store(to + (i + 12) * stride, lanes<1, 3, 1, 3>(ab_high, cd_high));
  }
#else
  store_upper(a, [&](int lane) LISSOM_LAMBDA_INLINE { return to + static_cast<std::size_t>(lane) * stride; });
  for (std::size_t lane = 0; lane < kWidth; ++lane) store(to + lane * stride + 12, kLastRow);
#endif
}

// The empty statement keeps compilers from making a string
// instruction of this, whose start-up costs more than the copy.
LISSOM_INLINE void copy_matrices(const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count * kMatrix; i += kMatrix) {
    for (int part = 0; part < kMatrix; part += kWidth) store(to + i + part, load(from + i + part));
    asm volatile("");
  }
}

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

// The same copy past the caches, except for the parts of lines at both ends, which the next copy completes.
LISSOM_INLINE void stream_matrices(const float* from, std::size_t count, float* to) {
  const float* const end = from + count * kMatrix;
  const std::size_t into_line = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kLine;
  const std::size_t head = into_line ? kLine - into_line : 0;
  __builtin_memcpy(to, from, head * sizeof(float));
  from += head, to += head;
  for (; from + kLine <= end; from += kLine, to += kLine) stream_line(from, to);
  __builtin_memcpy(to, from, static_cast<std::size_t>(end - from) * sizeof(float));
}

// How matrices are stored.
enum class Way {
  kDirect,   // joint by joint
  kStaged,   // to a buffer of a few joints, from which those of each pose are copied at once
  kStreamed  // the same past the caches
};
constexpr int kStageJoints = 8;
constexpr int kStageStride = kStageJoints * kMatrix + 16;  // no power of two, for the reason below

// Written joint by joint, poses at distances of a multiple of a large power of two conflict for the same sets of the first
// cache, of eight lines and more: then staging is faster, else the copy is wasted. Lines that are written whole may conflict.
LISSOM_INLINE bool is_crowded(std::size_t joint_count, const float* matrices) {
  if (kWidth == 4) return false;
  if (kWidth == 8) return joint_count % 64 == 0;
  return joint_count % 32 == 0 && reinterpret_cast<std::uintptr_t>(matrices) % 64 != 0;
}

template <Way kWay>
void compose_side_by_side(const std::int32_t* parents, std::size_t joint_count, const float* poses,
                          float* matrices, float* scratch) {
  auto* models = reinterpret_cast<Affine<L>*>(scratch);
  alignas(64) float stage[kWidth * kStageStride];
  const std::size_t pose_size = joint_count * kTrs, model_size = joint_count * kMatrix;
  for (std::size_t begin = 0; begin < joint_count; begin += kStageJoints) {
    const std::size_t count = joint_count - begin < kStageJoints ? joint_count - begin : kStageJoints;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t joint = begin + i;
      const float* trs = poses + joint * kTrs;
      Affine<L> model = load_locals(
          [&](int lane) LISSOM_LAMBDA_INLINE { return trs + static_cast<std::size_t>(lane) * pose_size; });
      if (parents[joint] >= 0) model = models[parents[joint]] * model;
      models[joint] = model;
      if constexpr (kWay == Way::kDirect) {
        store_matrices(model, matrices + joint * kMatrix, model_size);
      } else {
        store_matrices(model, stage + i * kMatrix, kStageStride);
      }
    }
    if constexpr (kWay != Way::kDirect) {
      float* to = matrices + begin * kMatrix;
      for (int lane = 0; lane < kWidth; ++lane, to += model_size) {
        constexpr auto copy = kWay == Way::kStreamed ? stream_matrices : copy_matrices;
        copy(stage + lane * kStageStride, count, to);
      }
    }
  }
}

void compose_poses(const std::int32_t* parents, std::size_t joint_count, const float* poses,
                   std::size_t pose_count, float* matrices, float* scratch, bool past_caches) {
  const std::size_t pose_size = joint_count * kTrs, model_size = joint_count * kMatrix;
  const auto compose = past_caches                         ? compose_side_by_side<Way::kStreamed>
                       : is_crowded(joint_count, matrices) ? compose_side_by_side<Way::kStaged>
                                                           : compose_side_by_side<Way::kDirect>;
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
