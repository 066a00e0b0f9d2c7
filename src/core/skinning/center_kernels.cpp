// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kFloats = 16, kQuat = 12;  // of a side

template <class Index, int kCount, bool kTable, bool kScaled>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    const auto move = [&](const auto& sides) LISSOM_LAMBDA_INLINE {
      L rows[4][4];
      blend_rows(vertices, sides, rows);
      CenterMotion<L> rigid;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) rigid.blend.m[i][j] = rows[i][j];
      }
      rigid.turn = {rows[3][0], rows[3][1], rows[3][2], rows[3][3]};
      rigid.center = load_packed3(args.centers + 3 * v);
      if constexpr (kScaled) {
        const Affine<L> scale = blend_affine(vertices, args.palette.scales);
        rigid.center = transform_point(scale, rigid.center);
        move_block(args, ScaledMotion<L, CenterMotion<L>>{scale, rigid}, v);
      } else {
        move_block(args, rigid, v);
      }
    };
    with_sides<kFloats, kQuat, kTable>(args.palette, vertices, move);
  });
}

template <class Index, int kCount, bool kTable>
void skin_phases(const SkinningKernelArgs& args) {
  args.palette.scales ? skin_blocks<Index, kCount, kTable, true>(args)
                      : skin_blocks<Index, kCount, kTable, false>(args);
}

void skin_narrow(const SkinningKernelArgs& args) {
  using Index = std::uint16_t;
  if (!args.palette.signs) return skin_phases<Index, kAnyCount, false>(args);
  args.influence_count == 4 ? skin_phases<Index, 4, true>(args) : skin_phases<Index, kAnyCount, true>(args);
}

void skin_wide(const SkinningKernelArgs& args) { skin_phases<std::uint32_t, kAnyCount, false>(args); }

}  // namespace

extern const SkinningKernels center_kernels;
const SkinningKernels center_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
