// SPDX-License-Identifier: MIT
#pragma once

// Shared parts of the skinning kernels: one block of kWidth vertices, its influences, blends of palette rows, and
// output. Included by *_kernels.cpp alone; see vector.h for why all of it has internal linkage.

#include "core/math/mat4.h"
#include "core/simd/rows.h"
#include "core/skinning/kernels.h"
#include "core/skinning/motion.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

constexpr int kAnyCount = 0;  // as the template argument of an influence count: known at run time only
template <int kValue>
struct Count {
  static constexpr int value = kValue;
};

// Influences of kWidth vertices. `kCount` is K, or kAnyCount.
template <class IndexType, int kCount>
struct Influences {
  using Index = IndexType;
  static constexpr int kFixedCount = kCount;
  const Index* indices;
  const float* weights;
  const Index* pivots;
  std::size_t any_count;

  LISSOM_INLINE std::size_t count() const { return kCount == kAnyCount ? any_count : kCount; }
  LISSOM_INLINE std::size_t index(int vertex, std::size_t k) const { return indices[vertex * count() + k]; }
  LISSOM_INLINE float weight(int vertex, std::size_t k) const { return weights[vertex * count() + k]; }
};

// The palette rows of a vertex's influences: of(vertex)(k) points to that of influence k.
template <class Vertices>
struct PlainRows {
  const float* rows;  // (S, 16)
  const Vertices& vertices;

  LISSOM_INLINE auto of(int vertex) const {
    if constexpr (kHasQuads) {
      return quads_of(vertex);
    } else {
      return [this, vertex](std::size_t k)
                 LISSOM_LAMBDA_INLINE { return rows + 16 * vertices.index(vertex, k); };
    }
  }

 private:
  static constexpr bool kHasQuads = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                                    sizeof(typename Vertices::Index) == 2 && Vertices::kFixedCount >= 4;

  // Four indices by one load: loads are what blending waits for.
  LISSOM_INLINE auto quads_of(int vertex) const {
    constexpr std::size_t kQuadCount = Vertices::kFixedCount / 4;
    struct Quads {
      std::uint64_t indices[kQuadCount];
    } quads;
    std::memcpy(&quads, vertices.indices + vertex * vertices.count(), sizeof quads);
    return [this, vertex, quads](std::size_t k) LISSOM_LAMBDA_INLINE {
      if (k >= 4 * kQuadCount) return rows + 16 * vertices.index(vertex, k);
      // An index times the 64 bytes of a row: shifted once, not twice.
      const int shift = 16 * static_cast<int>(k % 4) - 6;
      const std::uint64_t quad = quads.indices[k / 4];
      const std::uint64_t offset =
          (shift < 0 ? quad << -shift : quad >> shift) & (std::uint64_t{0xffff} << 6);
      return reinterpret_cast<const float*>(reinterpret_cast<const char*>(rows) + offset);
    };
  }
};

// Of rows with two signs (PaletteRows::sides), `kFloats` each, the one coherent with the pivot's quaternion. By the
// table of signs: one byte per pair of rows.
template <class Vertices, int kFloats>
struct TableSides {
  const PaletteRows& palette;
  const Vertices& vertices;

  LISSOM_INLINE auto of(int vertex) const {
    const std::uint8_t* const signs = palette.signs + vertices.pivots[vertex] * palette.row_count;
    return [this, signs, vertex](std::size_t k) LISSOM_LAMBDA_INLINE {
      const std::size_t index = vertices.index(vertex, k);
      return palette.sides + kFloats * (2 * index + signs[index]);
    };
  }
};

// The same by the dot product, for palettes whose table would cost more than the mesh. A quaternion begins kFirst
// floats into a side.
template <class Vertices, int kFloats, int kFirst>
struct DotSides {
  const PaletteRows& palette;
  const Vertices& vertices;

  LISSOM_INLINE auto of(int vertex) const {
    const float* const pivot = palette.sides + 2 * kFloats * vertices.pivots[vertex] + kFirst;
    return [this, pivot, vertex](std::size_t k) LISSOM_LAMBDA_INLINE {
      const float* const side = palette.sides + 2 * kFloats * vertices.index(vertex, k);
      const float* const q = side + kFirst;
      const float dot = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
      return dot < 0 ? side + kFloats : side;
    };
  }
};

// A single influence needs no sign, and no table.
template <class Vertices, int kFloats>
struct FirstSides {
  const PaletteRows& palette;
  const Vertices& vertices;

  LISSOM_INLINE auto of(int vertex) const {
    return [this, vertex](std::size_t k)
               LISSOM_LAMBDA_INLINE { return palette.sides + 2 * kFloats * vertices.index(vertex, k); };
  }
};

LISSOM_INLINE Float splat(float x) { return x - Float{}; }

// As many of the lanes as a smaller vector has.
template <class Vector>
LISSOM_INLINE Vector leading(Float x) {
  if constexpr (sizeof(Vector) == sizeof(Float)) {
    return x;
  } else if constexpr (sizeof(Vector) == sizeof(Float8)) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
  } else {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3);
  }
}

// Of a palette row. With registers of 512 bits a weight is best read and spread over the lanes by the instruction that
// multiplies, so that the row must not be.
template <class Vector>
LISSOM_INLINE Vector load_row(const float* from) {
  Vector row = load_as<Vector>(from);
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  asm("" : "+v"(row));
#endif
  return row;
}

// The weighted sums over a vertex's influences of the leading numbers of each palette row, part after part. One pass
// for all parts: with one pass each, GCC would keep the weights and offsets of the whole block in memory.
template <class Vertices, class Rows, class... Parts>
LISSOM_INLINE void weighted_sums(const Vertices& vertices, const Rows& rows, int vertex, Parts&... sums) {
  const auto row = rows.of(vertex);
  const float* from = row(0);
  Float weight = splat(vertices.weight(vertex, 0));
  ((sums = leading<Parts>(weight) * load_row<Parts>(from), from += sizeof(Parts) / sizeof(float)), ...);
  for (std::size_t k = 1; k < vertices.count(); ++k) {
    from = row(k);
    weight = splat(vertices.weight(vertex, k));
    ((sums += leading<Parts>(weight) * load_row<Parts>(from), from += sizeof(Parts) / sizeof(float)), ...);
  }
}

// Four rows of four numbers per vertex, blended: columns[i][j] is number j of row i. `kRowCount` of them, 3 or 4.
// Vertex by vertex, with whole palette rows in registers, then transposed: a gather per number would cost eight times
// as much.
template <int kRowCount, class Vertices, class Rows>
LISSOM_INLINE void blend_rows(const Vertices& vertices, const Rows& rows, L (&columns)[kRowCount][4]) {
#if LISSOM_WIDTH == 16
  // A lane of parts[group][j] holds number j of one row for the group's four vertices.
  Float parts[4][4];
#pragma GCC unroll 4
  for (int group = 0; group < 4; ++group) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) weighted_sums(vertices, rows, 4 * group + i, parts[group][i]);
    transpose_lanes(parts[group]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const Float low = lanes<0, 1, 0, 1>(parts[0][j], parts[1][j]);
    const Float high = lanes<0, 1, 0, 1>(parts[2][j], parts[3][j]);
    columns[0][j] = lanes<0, 2, 0, 2>(low, high);
    columns[1][j] = lanes<1, 3, 1, 3>(low, high);
    columns[2][j] = lanes<0, 2, 0, 2>(lanes<2, 2, 2, 2>(parts[0][j], parts[1][j]),
                                      lanes<2, 2, 2, 2>(parts[2][j], parts[3][j]));
    if constexpr (kRowCount == 4) {
      columns[3][j] = lanes<0, 2, 0, 2>(lanes<3, 3, 3, 3>(parts[0][j], parts[1][j]),
                                        lanes<3, 3, 3, 3>(parts[2][j], parts[3][j]));
    }
  }
#elif LISSOM_WIDTH == 8
  // Rows 0 and 1 of a vertex share a register; so do 2 and 3, or the row 2 of two vertices.
  Float low[2][4], high[2][4];  // [vertices 0-3, 4-7]
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    if constexpr (kRowCount == 3) {
      Float4 near, far;
      weighted_sums(vertices, rows, i, low[0][i], near);
      weighted_sums(vertices, rows, 4 + i, low[1][i], far);
      high[0][i] = join(near, far);
    } else {
      weighted_sums(vertices, rows, i, low[0][i], high[0][i]);
      weighted_sums(vertices, rows, 4 + i, low[1][i], high[1][i]);
    }
  }
  transpose_lanes(low[0]);
  transpose_lanes(low[1]);
  transpose_lanes(high[0]);
  if constexpr (kRowCount == 4) transpose_lanes(high[1]);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    columns[0][j] = lanes<0, 0>(low[0][j], low[1][j]);
    columns[1][j] = lanes<1, 1>(low[0][j], low[1][j]);
    if constexpr (kRowCount == 3) {
      columns[2][j] = high[0][j];
    } else {
      columns[2][j] = lanes<0, 0>(high[0][j], high[1][j]);
      columns[3][j] = lanes<1, 1>(high[0][j], high[1][j]);
    }
  }
#else
  Float parts[kRowCount][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    if constexpr (kRowCount == 3) {
      weighted_sums(vertices, rows, i, parts[0][i], parts[1][i], parts[2][i]);
    } else {
      weighted_sums(vertices, rows, i, parts[0][i], parts[1][i], parts[2][i], parts[3][i]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRowCount; ++r) {
    transpose_lanes(parts[r]);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) columns[r][j] = parts[r][j];
  }
#endif
}

template <class Vertices>
LISSOM_INLINE Affine<L> blend_affine(const Vertices& vertices, const float* matrices) {
  Affine<L> blend;
  blend_rows(vertices, PlainRows<Vertices>{matrices, vertices}, blend.m);
  return blend;
}

// Of sides of 8 floats; not normalised.
template <class Vertices, class Sides>
LISSOM_INLINE DualQuat<L> blend_dual_quats(const Vertices& vertices, const Sides& sides) {
#if LISSOM_WIDTH == 16
  // Lanes of low[j]: component j of the real and the dual part of vertices 0-3, then of 4-7; high[j]: the others.
  Float low[4], high[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    Float8 parts[4];
#pragma GCC unroll 4
    for (int group = 0; group < 4; ++group) weighted_sums(vertices, sides, 4 * group + i, parts[group]);
    low[i] = join(parts[0], parts[1]);
    high[i] = join(parts[2], parts[3]);
  }
  transpose_lanes(low);
  transpose_lanes(high);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<0, 2, 0, 2>(low[j], high[j]); };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<1, 3, 1, 3>(low[j], high[j]); };
#elif LISSOM_WIDTH == 8
  Float low[4], high[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    weighted_sums(vertices, sides, i, low[i]);
    weighted_sums(vertices, sides, 4 + i, high[i]);
  }
  transpose_lanes(low);
  transpose_lanes(high);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<0, 0>(low[j], high[j]); };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<1, 1>(low[j], high[j]); };
#else
  Float reals[4], duals[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) weighted_sums(vertices, sides, i, reals[i], duals[i]);
  transpose_lanes(reals);
  transpose_lanes(duals);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return reals[j]; };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return duals[j]; };
#endif
  return {{real(0), real(1), real(2), real(3)}, {dual(0), dual(1), dual(2), dual(3)}};
}

// Calls run(sides) with the lookup of rows of `kFloats` whose quaternion begins at `kFirst`.
template <int kFloats, int kFirst, bool kTable, class Vertices, class Run>
LISSOM_INLINE void with_sides(const PaletteRows& palette, const Vertices& vertices, Run run) {
  if constexpr (Vertices::kFixedCount == 1) {
    run(FirstSides<Vertices, kFloats>{palette, vertices});
  } else if constexpr (kTable) {
    run(TableSides<Vertices, kFloats>{palette, vertices});
  } else {
    run(DotSides<Vertices, kFloats, kFirst>{palette, vertices});
  }
}

// Tangents of the block of vertices that begins at v, beside their moved unit normals.
template <class Motion>
LISSOM_INLINE void store_moved_tangents(const SkinningKernelArgs& args, const Motion& motion,
                                        const Vec3<L>& normal, std::size_t v) {
  L bind[4];
  load_packed<4>(args.tangents + 4 * v, bind);
  const Vec3<L> tangent = moved_tangent(motion, Vec3<L>{bind[0], bind[1], bind[2]}, normal);
  const L columns[4] = {tangent.x, tangent.y, tangent.z, bind[3]};
  store_packed<4>(args.tangents_out + 4 * v, columns);
}

// Moves the block of vertices that begins at v.
template <class Motion>
LISSOM_INLINE void move_block(const SkinningKernelArgs& args, const Motion& motion, std::size_t v) {
  store_packed3(args.positions_out + 3 * v, motion.point(load_packed3(args.positions + 3 * v)));
  if (!args.normals) return;
  const Vec3<L> normal = moved_normal(motion, load_packed3(args.normals + 3 * v), args.upright);
  store_packed3(args.normals_out + 3 * v, normal);
  if (args.tangents) store_moved_tangents(args, motion, normal, v);
}

// `count` indices or weights from `first` on, decoded where they are compact. Wide indices never are.
template <class Index>
LISSOM_INLINE const Index* indices_at(const SkinningKernelArgs& args, std::size_t first, std::size_t count) {
  const auto* const indices = static_cast<const Index*>(args.indices) + first;
  if constexpr (sizeof(Index) == sizeof(std::uint16_t)) {
    if (__builtin_expect(args.byte_indices, false)) {
      const auto* bytes = static_cast<const std::uint8_t*>(args.indices) + first;
      for (std::size_t i = 0; i < count; ++i) args.decoded_indices[i] = bytes[i];
      return args.decoded_indices;
    }
  }
  return indices;
}
LISSOM_INLINE const float* weights_at(const SkinningKernelArgs& args, std::size_t first, std::size_t count) {
  if (args.weight_format == WeightFormat::kFloat) return static_cast<const float*>(args.weights) + first;
  if (args.weight_format == WeightFormat::kByte) {
    const auto* bytes = static_cast<const std::uint8_t*>(args.weights) + first;
    for (std::size_t i = 0; i < count; ++i) args.decoded_weights[i] = float(bytes[i]) / kByteOne;
  } else {
    const auto* shorts = static_cast<const std::uint16_t*>(args.weights) + first;
    for (std::size_t i = 0; i < count; ++i) args.decoded_weights[i] = float(shorts[i]) / kShortOne;
  }
  return args.decoded_weights;
}

// Whether no influences are decoded.
LISSOM_INLINE bool is_plain(const SkinningKernelArgs& args) {
  return !args.byte_indices && args.weight_format == WeightFormat::kFloat;
}

// Runs block(vertices, v) for the vertices v, v + 1, ... of each register's worth in the arguments' range,
// which is whole blocks of kVertexBlock. `kPlain` promises is_plain(): the loop is the shorter by two choices.
template <class Index, int kCount, bool kPlain = false, class Block>
LISSOM_INLINE void for_each_block(const SkinningKernelArgs& args, Block block) {
  static_assert(kVertexBlock % kWidth == 0);
  const std::size_t k = kCount == kAnyCount ? args.influence_count : kCount;
  const auto* pivots = static_cast<const Index*>(args.pivots);
  for (std::size_t v = args.begin; v < args.end; v += kWidth) {
    if constexpr (kPlain) {
      block(Influences<Index, kCount>{static_cast<const Index*>(args.indices) + v * k,
                                      static_cast<const float*>(args.weights) + v * k, pivots + v, k},
            v);
    } else {
      block(Influences<Index, kCount>{indices_at<Index>(args, v * k, kWidth * k),
                                      weights_at(args, v * k, kWidth * k), pivots + v, k},
            v);
    }
  }
}

// Calls run(count) with the influence count as a constant if it is one of kCounts.
template <int... kCounts, class Run>
LISSOM_INLINE void with_count(std::size_t influence_count, Run run) {
  const bool ran = ((influence_count == kCounts && (run(Count<kCounts>{}), true)) || ...);
  if (!ran) run(Count<kAnyCount>{});
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
