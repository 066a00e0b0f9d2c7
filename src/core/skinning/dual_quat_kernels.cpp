// SPDX-License-Identifier: MIT
#include "core/math/dual_quat.h"
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kPairFloats = 16;  // of a palette row: q, then -q

// Finds q or -q of an influence, whichever is on the pivot's
// side. By the table of signs: one byte per pair of rows.
struct TableSigns {
  const PaletteRows& palette;

  LISSOM_INLINE const std::uint8_t* pivot(std::size_t index) const {
    return palette.signs + index * palette.row_count;
  }
  LISSOM_INLINE const float* row(const std::uint8_t* pivot_signs, std::size_t index) const {
    return palette.dual_quats + 8 * (2 * index + pivot_signs[index]);
  }
};

// The same by the dot product, for palettes whose table would cost more than the mesh.
struct DotSigns {
  const PaletteRows& palette;

  LISSOM_INLINE const float* pivot(std::size_t index) const {
    return palette.dual_quats + kPairFloats * index;
  }
  LISSOM_INLINE const float* row(const float* pivot_row, std::size_t index) const {
    const float* q = palette.dual_quats + kPairFloats * index;
    const float dot = pivot_row[0] * q[0] + pivot_row[1] * q[1] + pivot_row[2] * q[2] + pivot_row[3] * q[3];
    return dot < 0 ? q + 8 : q;
  }
};

// A single influence has no other side.
struct NoSigns {
  const PaletteRows& palette;

  LISSOM_INLINE int pivot(std::size_t) const { return 0; }
  LISSOM_INLINE const float* row(int, std::size_t index) const {
    return palette.dual_quats + kPairFloats * index;
  }
};

// Blends vertex by vertex, with whole palette rows in registers, then transposes.
template <class Vertices, class Signs>
LISSOM_INLINE DualQuat<L> blend_dual_quats(const Vertices& vertices, const Signs& signs) {
  const auto sum = [&](auto vector, int vertex, int first) LISSOM_LAMBDA_INLINE {
    const auto pivot = signs.pivot(vertices.pivots[vertex]);
    return weighted_sum<decltype(vector)>(vertices, vertex, [&](std::size_t k) LISSOM_LAMBDA_INLINE {
      return signs.row(pivot, vertices.index(vertex, k)) + first;
    });
  };
#if LISSOM_WIDTH == 16
  // Lanes of low[j]: component j of the real and the dual
  // part of vertices 0-3, then of 4-7; high[j]: the others.
  Float low[4], high[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    low[i] = join(sum(Float8{}, i, 0), sum(Float8{}, 4 + i, 0));
    high[i] = join(sum(Float8{}, 8 + i, 0), sum(Float8{}, 12 + i, 0));
  }
  transpose_lanes(low);
  transpose_lanes(high);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<0, 2, 0, 2>(low[j], high[j]); };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<1, 3, 1, 3>(low[j], high[j]); };
#elif LISSOM_WIDTH == 8
  Float low[4], high[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    low[i] = sum(Float8{}, i, 0);
    high[i] = sum(Float8{}, 4 + i, 0);
  }
  transpose_lanes(low);
  transpose_lanes(high);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<0, 0>(low[j], high[j]); };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return lanes<1, 1>(low[j], high[j]); };
#else
  Float reals[4], duals[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    reals[i] = sum(Float4{}, i, 0);
    duals[i] = sum(Float4{}, i, 4);
  }
  transpose_lanes(reals);
  transpose_lanes(duals);
  const auto real = [&](int j) LISSOM_LAMBDA_INLINE { return reals[j]; };
  const auto dual = [&](int j) LISSOM_LAMBDA_INLINE { return duals[j]; };
#endif
  return {{real(0), real(1), real(2), real(3)}, {dual(0), dual(1), dual(2), dual(3)}};
}

// Cofactor(S) n, or n itself where that vanishes.
LISSOM_INLINE Vec3<L> scale_normal(const Mat3<L>& scale, const Vec3<L>& n) {
  const Vec3<L> scaled = cofactor(scale) * n;
  const L limit = static_cast<float>(kVanishing) * squared_norm(scale);
  return select(dot(scaled, scaled) > limit * limit * dot(n, n), scaled, n);
}

template <class Index, int kCount, bool kNormals, bool kScaled, class Signs>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    Vec3<L> position = load_packed3(args.positions + 3 * v);
    Vec3<L> normal;
    if (kNormals) normal = load_packed3(args.normals + 3 * v);
    if (kScaled) {
      const Affine<L> scale = blend_matrices(args.palette.matrices, vertices);
      position = transform_point(scale, position);
      if (kNormals) normal = scale_normal(scale.linear(), normal);
    }
    const DualQuat<L> b = blend_dual_quats(vertices, Signs{args.palette});
    // With b0 = (w, r) and be = (u, d) not normalised, algorithm 1 of the paper becomes
    //   p' = p + s (r x (d + w p + r x p) + w d - u r),  s = 2 / |b0|^2:
    // everything is quadratic in b, so no root is taken, which transform_point() of a normalised b would.
    const Vec3<L> r = b.real.vector(), d = b.dual.vector();
    const L w = b.real.w, u = b.dual.w;
    const L s = 2 / dot(b.real, b.real);
    const Vec3<L> turn = cross(r, d + w * position + cross(r, position));
    store_packed3(args.positions_out + 3 * v, position + s * (turn + w * d - u * r));
    if (kNormals) {
      const Vec3<L> turned = normal + s * cross(r, w * normal + cross(r, normal));
      store_packed3(args.normals_out + 3 * v, normalized_or_zero(turned));
    }
  });
}

// Two phases are kernels of their own: a branch inside would have every index and weight spilled around it.
template <class Index, int kCount, class Signs>
LISSOM_INLINE void skin_signed(const SkinningKernelArgs& args) {
  if (args.palette.matrices) {
    args.normals ? skin_blocks<Index, kCount, true, true, Signs>(args)
                 : skin_blocks<Index, kCount, false, true, Signs>(args);
  } else {
    args.normals ? skin_blocks<Index, kCount, true, false, Signs>(args)
                 : skin_blocks<Index, kCount, false, false, Signs>(args);
  }
}

void skin_narrow(const SkinningKernelArgs& args) {
  using Index = std::uint16_t;
  if (args.influence_count == 1) return skin_signed<Index, 1, NoSigns>(args);
  if (!args.palette.signs) return skin_signed<Index, kAnyCount, DotSigns>(args);
  with_count(args.influence_count, [&](auto count) { skin_signed<Index, count.value, TableSigns>(args); });
}

void skin_wide(const SkinningKernelArgs& args) { skin_signed<std::uint32_t, kAnyCount, DotSigns>(args); }

void find_signs(const float* dual_quats, std::size_t row_count, std::uint8_t* signs) {
  for (std::size_t i = 0; i < row_count; ++i) {
    const Float4 pivot = load_as<Float4>(dual_quats + kPairFloats * i);
    for (std::size_t j = 0; j < row_count; ++j) {
      const Float4 products = pivot * load_as<Float4>(dual_quats + kPairFloats * j);
      signs[i * row_count + j] = products[0] + products[1] + products[2] + products[3] < 0;
    }
  }
}

}  // namespace

extern const DualQuatKernels dual_quat_kernels;
const DualQuatKernels dual_quat_kernels{skin_narrow, skin_wide, find_signs};

}  // namespace lissom::LISSOM_ISA
