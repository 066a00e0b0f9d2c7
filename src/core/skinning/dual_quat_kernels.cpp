// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kFloats = 8, kReal = 0;  // of a side

// Two phases are kernels of their own: a branch inside would have every index and weight spilled around it.
template <class Index, int kCount, bool kTable, bool kScaled>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    const auto move = [&](const auto& sides) LISSOM_LAMBDA_INLINE {
      if constexpr (kScaled) {
        const Affine<L> scale = blend_affine(vertices, args.palette.scales);
        const DualQuatMotion<L> rigid{blend_dual_quats(vertices, sides)};
        move_block(args, ScaledMotion<L, DualQuatMotion<L>>{scale, rigid}, v);
      } else {
        move_block(args, DualQuatMotion<L>{blend_dual_quats(vertices, sides)}, v);
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
  if (!args.palette.signs && args.influence_count > 1) return skin_phases<Index, kAnyCount, false>(args);
  with_count(args.influence_count, [&](auto count) { skin_phases<Index, count.value, true>(args); });
}

void skin_wide(const SkinningKernelArgs& args) { skin_phases<std::uint32_t, kAnyCount, false>(args); }

}  // namespace

extern const SkinningKernels dual_quat_kernels;
const SkinningKernels dual_quat_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
