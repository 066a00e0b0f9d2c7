// SPDX-License-Identifier: MIT
#pragma once

// What the skinning kernels share: one block of kWidth vertices, its influences, and the blend of matrices.
// Included by *_kernels.cpp alone; see vector.h for why all of it has internal linkage.

#include "core/math/mat4.h"
#include "core/simd/rows.h"
#include "core/skinning/kernels.h"

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
  const Index* indices;
  const float* weights;
  const Index* pivots;
  std::size_t any_count;

  LISSOM_INLINE std::size_t count() const { return kCount == kAnyCount ? any_count : kCount; }
  LISSOM_INLINE std::size_t index(int vertex, std::size_t k) const { return indices[vertex * count() + k]; }
  LISSOM_INLINE float weight(int vertex, std::size_t k) const { return weights[vertex * count() + k]; }
};

// The weighted sum over a vertex's influences of what
// row(k) loads for each: a vector of part of a palette row.
template <class Vector, class Vertices, class Row>
LISSOM_INLINE Vector weighted_sum(const Vertices& vertices, int vertex, Row row) {
  Vector sum = vertices.weight(vertex, 0) * load_as<Vector>(row(0));
  for (std::size_t k = 1; k < vertices.count(); ++k)
    sum += vertices.weight(vertex, k) * load_as<Vector>(row(k));
  return sum;
}

// v / |v|; zero stays zero, and what is too small or too large to square stays finite.
LISSOM_INLINE Vec3<L> normalized_or_zero(const Vec3<L>& v) {
  const L square = min(max(dot(v, v), L(Limits<L>::kSmallest)), L(Limits<L>::kLargest));
  return reciprocal_sqrt(square) * v;
}

// Blends vertex by vertex, with whole palette rows in registers, then transposes: a gather per component
// would cost eight times as much.
template <class Vertices>
LISSOM_INLINE Affine<L> blend_matrices(const float* matrices, const Vertices& vertices) {
  const auto row = [&](int vertex, int first) {
    return [&, vertex, first](std::size_t k) { return matrices + 16 * vertices.index(vertex, k) + first; };
  };
  Affine<L> blend;
#if LISSOM_WIDTH == 16
  // A lane of parts[group][j] holds component j of one matrix row for the group's four vertices.
  Float parts[4][4];
#pragma GCC unroll 4
  for (int group = 0; group < 4; ++group) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      parts[group][i] = weighted_sum<Float>(vertices, 4 * group + i, row(4 * group + i, 0));
    }
    transpose_lanes(parts[group]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const Float low = lanes<0, 1, 0, 1>(parts[0][j], parts[1][j]);
    const Float high = lanes<0, 1, 0, 1>(parts[2][j], parts[3][j]);
    blend.m[0][j] = lanes<0, 2, 0, 2>(low, high);
    blend.m[1][j] = lanes<1, 3, 1, 3>(low, high);
    blend.m[2][j] = lanes<0, 2, 0, 2>(lanes<2, 2, 2, 2>(parts[0][j], parts[1][j]),
                                      lanes<2, 2, 2, 2>(parts[2][j], parts[3][j]));
  }
#elif LISSOM_WIDTH == 8
  // Rows 0 and 1 share a register, row 2 of two vertices another.
  Float parts[2][4];
  Float lasts[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    parts[0][i] = weighted_sum<Float>(vertices, i, row(i, 0));
    parts[1][i] = weighted_sum<Float>(vertices, 4 + i, row(4 + i, 0));
    lasts[i] = join(weighted_sum<Float4>(vertices, i, row(i, 8)),
                    weighted_sum<Float4>(vertices, 4 + i, row(4 + i, 8)));
  }
  transpose_lanes(parts[0]);
  transpose_lanes(parts[1]);
  transpose_lanes(lasts);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    blend.m[0][j] = lanes<0, 0>(parts[0][j], parts[1][j]);
    blend.m[1][j] = lanes<1, 1>(parts[0][j], parts[1][j]);
    blend.m[2][j] = lasts[j];
  }
#else
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) {
    Float parts[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) parts[i] = weighted_sum<Float>(vertices, i, row(i, 4 * r));
    transpose_lanes(parts);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) blend.m[r][j] = parts[j];
  }
#endif
  return blend;
}

// Runs block(vertices, v) for the vertices v, v + 1, ... of each register's worth in the arguments' range,
// which is whole blocks of kVertexBlock.
template <class Index, int kCount, class Block>
LISSOM_INLINE void for_each_block(const SkinningKernelArgs& args, Block block) {
  static_assert(kVertexBlock % kWidth == 0);
  const std::size_t k = kCount == kAnyCount ? args.influence_count : kCount;
  const auto* indices = static_cast<const Index*>(args.indices);
  const auto* pivots = static_cast<const Index*>(args.pivots);
  for (std::size_t v = args.begin; v < args.end; v += kWidth) {
    block(Influences<Index, kCount>{indices + v * k, args.weights + v * k, pivots + v, k}, v);
  }
}

// Calls run(count) with the influence count as a constant where a kernel of its own pays.
template <class Run>
LISSOM_INLINE void with_count(std::size_t influence_count, Run run) {
  switch (influence_count) {
    case 1:
      return run(Count<1>{});
    case 2:
      return run(Count<2>{});
    case 4:
      return run(Count<4>{});
    default:
      return run(Count<kAnyCount>{});
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
