// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kFloats = 8, kReal = 0;  // of a side

template <class Index, int kCount, bool kTable, bool kScaled>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    const auto move = [&](const auto& sides) LISSOM_LAMBDA_INLINE {
      const L amount = load(args.mix + v);
      const LinearMotion<L> linear{blend_affine(vertices, args.palette.matrices)};
      const DualQuatMotion<L> rigid{blend_dual_quats(vertices, sides)};
      if constexpr (kScaled) {
        using Scaled = ScaledMotion<L, DualQuatMotion<L>>;
        const Scaled scaled{blend_affine(vertices, args.palette.scales), rigid};
        move_block(args, MixedMotion<L, LinearMotion<L>, Scaled>{linear, scaled, amount}, v);
      } else {
        move_block(args, MixedMotion<L, LinearMotion<L>, DualQuatMotion<L>>{linear, rigid, amount}, v);
      }
    };
    with_sides<kFloats, kReal, kTable>(args.palette, vertices, move);
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

extern const SkinningKernels mixed_kernels;
const SkinningKernels mixed_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
