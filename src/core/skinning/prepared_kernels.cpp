// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_kernels.h"

#include "core/simd/rows.h"
#include "core/skinning/motion.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

constexpr std::size_t kLanes = kPreparedBlock;
static_assert(kLanes % kWidth == 0);

// kWidth vertices of a block: their influences, inputs and outputs.
struct BlockLanes {
  const std::uint32_t* rows;
  const float* weights;
  std::size_t row_count;
  std::size_t stream;  // number of the first lane in a stream of one number per vertex
  const float *centers, *blend;
  float *positions_out, *normals_out, *tangents_out;
};

// A buffer for results in the original order, and where a whole store would write beyond this thread's vertices.
struct Aside {
  float centers[3 * kLanes], blend[kLanes];
  float positions[3 * kLanes], normals[3 * kLanes], tangents[4 * kLanes];
};

// The weighted sums of numbers 0 to kCount - 1 of the rows. Palette rows are the same for all lanes: no gathers, no
// transposes.
template <int kCount, class RowOf>
LISSOM_INLINE void blend(const BlockLanes& at, RowOf row_of, L* sums) {
  const float* row = row_of(at.rows[0]);
  Float weight = load(at.weights);
  Float blended[kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) blended[i] = weight * row[i];
  for (std::size_t k = 1; k < at.row_count; ++k) {
    row = row_of(at.rows[k]);
    weight = load(at.weights + kLanes * k);
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) blended[i] += weight * row[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) sums[i] = blended[i];
}

LISSOM_INLINE Affine<L> blend_affine(const BlockLanes& at, const float* matrices, std::size_t stride) {
  Affine<L> sum;
  blend<12>(at, [=](std::size_t row) LISSOM_LAMBDA_INLINE { return matrices + stride * row; }, &sum.m[0][0]);
  return sum;
}

// Of rows with two signs of kFloats (PaletteRows::sides), the one coherent with the pivot's, which is the block's
// first. A quaternion begins kFirst floats into a side.
template <int kFloats, int kFirst>
LISSOM_INLINE auto sides_of(const PreparedKernelArgs& args, const BlockLanes& at) {
  const float* const sides = args.palette.sides;
  const float* const pivot = sides + 2 * kFloats * std::size_t{at.rows[0]} + kFirst;
  return [sides, pivot](std::size_t row) LISSOM_LAMBDA_INLINE {
    const float* const side = sides + 2 * kFloats * row;
    const float* const q = side + kFirst;
    const float dot = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
    return (dot < 0 ? side + kFloats : side);
  };
}

LISSOM_INLINE DualQuatMotion<L> blend_dual_quats(const PreparedKernelArgs& args, const BlockLanes& at) {
  L q[8];
  blend<8>(at, sides_of<8, 0>(args, at), q);
  return {{{q[0], q[1], q[2], q[3]}, {q[4], q[5], q[6], q[7]}}};
}

LISSOM_INLINE Vec3<L> load_lanes3(const float* from) {
  return {load(from), load(from + kLanes), load(from + 2 * kLanes)};
}

template <class Motion>
LISSOM_INLINE void move_lanes(const PreparedKernelArgs& args, const BlockLanes& at, const Motion& motion) {
  const std::size_t block = at.stream / kLanes * kLanes, lane = at.stream % kLanes;
  store_packed3(at.positions_out, motion.point(load_lanes3(args.positions + 3 * block + lane)));
  if (!args.normals) return;
  const Vec3<L> normal = moved_normal(motion, load_lanes3(args.normals + 3 * block + lane), args.upright);
  store_packed3(at.normals_out, normal);
  if (!args.tangents) return;
  const float* const bind = args.tangents + 4 * block + lane;
  const Vec3<L> tangent = moved_tangent(motion, load_lanes3(bind), normal);
  const L columns[4] = {tangent.x, tangent.y, tangent.z, load(bind + 3 * kLanes)};
  store_packed<4>(at.tangents_out, columns);
}

// A block's inputs from the caller's arrays. Lanes without a vertex keep their previous values, which are finite.
LISSOM_NOINLINE void copy_inputs(const PreparedKernelArgs& args, std::size_t first, std::size_t count,
                                 Aside* aside) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t v = args.order ? args.order[first + i] : first + i;
    if (args.centers) std::memcpy(aside->centers + 3 * i, args.centers + 3 * v, 3 * sizeof(float));
    if (args.blend) aside->blend[i] = args.blend[v];
  }
}

template <int kNumbers>
LISSOM_INLINE void scatter_rows(const PreparedKernelArgs& args, std::size_t first, std::size_t count,
                                const float* from, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t v = args.order ? args.order[first + i] : first + i;
    std::memcpy(to + kNumbers * v, from + kNumbers * i, kNumbers * sizeof(float));
  }
}
LISSOM_NOINLINE void scatter(const PreparedKernelArgs& args, std::size_t first, std::size_t count,
                             const Aside& aside) {
  scatter_rows<3>(args, first, count, aside.positions, args.positions_out);
  if (args.normals) scatter_rows<3>(args, first, count, aside.normals, args.normals_out);
  if (args.tangents) scatter_rows<4>(args, first, count, aside.tangents, args.tangents_out);
}

// Runs move(lanes) for the vertices of each block, a register's worth at a time. Whole registers are stored, whose
// surplus the next block overwrites; not so at the range's end.
template <class Move>
LISSOM_INLINE void for_each_block(const PreparedKernelArgs& args, Move move) {
  Aside aside{};
  const bool reads = args.centers || args.blend;
  const std::size_t end_vertex = args.blocks[args.end].vertex;
  for (std::size_t b = args.begin; b < args.end; ++b) {
    const std::size_t first = args.blocks[b].vertex, count = args.blocks[b + 1].vertex - first;
    const std::size_t row = args.blocks[b].row;
    const bool direct = !args.order && first + (count + kWidth - 1) / kWidth * kWidth <= end_vertex;
    BlockLanes at{args.rows + row,
                  args.weights + kLanes * row,
                  args.blocks[b + 1].row - row,
                  kLanes * b,
                  direct && args.centers ? args.centers + 3 * first : aside.centers,
                  direct && args.blend ? args.blend + first : aside.blend,
                  direct ? args.positions_out + 3 * first : aside.positions,
                  direct && args.normals ? args.normals_out + 3 * first : aside.normals,
                  direct && args.tangents ? args.tangents_out + 4 * first : aside.tangents};
    if (!direct && reads) copy_inputs(args, first, count, &aside);
    if constexpr (kWidth == kLanes) {
      move(at);
    } else {
      for (std::size_t lane = 0; lane < count; lane += kWidth) {
        move(at);
        at.weights += kWidth, at.stream += kWidth;
        at.centers += 3 * kWidth, at.blend += kWidth;
        at.positions_out += 3 * kWidth, at.normals_out += 3 * kWidth, at.tangents_out += 4 * kWidth;
      }
    }
    if (!direct) scatter(args, first, count, aside);
  }
}

// Whether a block needs the first of the two phases.
LISSOM_INLINE bool is_scaled(const PreparedKernelArgs& args, const BlockLanes& at) {
  if (!args.palette.scales || !args.scaled_rows) return args.palette.scales != nullptr;
  bool scaled = false;
  for (std::size_t k = 0; k < at.row_count; ++k) scaled |= args.scaled_rows[at.rows[k]] != 0;
  return scaled;
}

// Runs move(lanes, scale), where `scale` is the phase before the rigid motion (motion.h).
template <class Move>
LISSOM_INLINE void for_each_scaled_block(const PreparedKernelArgs& args, Move move) {
  for_each_block(args, [&](const BlockLanes& at) LISSOM_LAMBDA_INLINE {
    if (is_scaled(args, at)) {
      move(at, LinearScale<L>{blend_affine(at, args.palette.scales, 16)});
    } else {
      move(at, NoScale<L>{});
    }
  });
}

// A block's normals become unit, and are stored, amid the next block's work: to their length and back takes as long as
// a block, and processors look ahead no further.
struct LateNormals {
  float unused[3 * kWidth];
  float* to = unused;
  Vec3<L> normal{1, 0, 0};

  LISSOM_INLINE void store() { store_packed3(to, normalized_or_zero(normal)); }
};

LISSOM_INLINE void move_late(const PreparedKernelArgs& args, std::size_t b, float* positions_out,
                             float* normals_out, LateNormals* late) {
  const std::size_t row = args.blocks[b].row, count = args.blocks[b + 1].vertex - args.blocks[b].vertex;
  BlockLanes at{};
  at.rows = args.rows + row;
  at.weights = args.weights + kLanes * row;
  at.row_count = args.blocks[b + 1].row - row;
  for (std::size_t lane = 0; lane < count; lane += kWidth, at.weights += kWidth) {
    const LinearMotion<L> motion{blend_affine(at, args.palette.matrices, 16)};
    const std::size_t from = 3 * kLanes * b + lane;
    late->store();
    store_packed3(positions_out + 3 * lane, motion.point(load_lanes3(args.positions + from)));
    late->normal = motion.normal(load_lanes3(args.normals + from));
    late->to = normals_out + 3 * lane;
  }
}

void skin_normals(const PreparedKernelArgs& args) {
  const std::size_t end_vertex = args.blocks[args.end].vertex;
  LateNormals late;
  std::size_t b = args.begin;
  for (; b < args.end && args.blocks[b].vertex + kLanes <= end_vertex; ++b) {
    const std::size_t first = 3 * args.blocks[b].vertex;
    move_late(args, b, args.positions_out + first, args.normals_out + first, &late);
  }
  late.store();
  for (; b < args.end; ++b) {  // whole registers would reach beyond this thread's vertices
    Aside aside;
    late.to = late.unused;
    move_late(args, b, aside.positions, aside.normals, &late);
    late.store();
    scatter(args, args.blocks[b].vertex, args.blocks[b + 1].vertex - args.blocks[b].vertex, aside);
  }
}

void skin_linear(const PreparedKernelArgs& args) {
  if (args.normals && !args.upright && !args.tangents && !args.order) return skin_normals(args);
  for_each_block(args, [&](const BlockLanes& at) LISSOM_LAMBDA_INLINE {
    move_lanes(args, at, LinearMotion<L>{blend_affine(at, args.palette.matrices, 16)});
  });
}

void skin_dual_quat(const PreparedKernelArgs& args) {
  for_each_scaled_block(args, [&](const BlockLanes& at, const auto& scale) LISSOM_LAMBDA_INLINE {
    move_lanes(args, at, scale.before(blend_dual_quats(args, at)));
  });
}

void skin_cor(const PreparedKernelArgs& args) {
  constexpr int kFloats = 16, kQuat = 12;  // of a side: a matrix, the same for both, then the quaternion
  for_each_scaled_block(args, [&](const BlockLanes& at, const auto& scale) LISSOM_LAMBDA_INLINE {
    const auto side = sides_of<kFloats, kQuat>(args, at);
    L q[4];
    blend<4>(at, [&](std::size_t row) LISSOM_LAMBDA_INLINE { return side(row) + kQuat; }, q);
    const CorMotion<L> rigid{{q[0], q[1], q[2], q[3]},
                             blend_affine(at, args.palette.sides, 2 * kFloats),
                             scale.point(load_packed3(at.centers))};
    move_lanes(args, at, scale.before(rigid));
  });
}

void skin_blended(const PreparedKernelArgs& args) {
  for_each_scaled_block(args, [&](const BlockLanes& at, const auto& scale) LISSOM_LAMBDA_INLINE {
    const LinearMotion<L> linear{blend_affine(at, args.palette.matrices, 16)};
    move_lanes(args, at, blended<L>(linear, scale.before(blend_dual_quats(args, at)), load(at.blend)));
  });
}

}  // namespace

extern const PreparedKernels prepared_kernels;
const PreparedKernels prepared_kernels{skin_linear, skin_dual_quat, skin_cor, skin_blended};

}  // namespace lissom::LISSOM_ISA
