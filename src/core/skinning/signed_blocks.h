// SPDX-License-Identifier: MIT
#pragma once

// The kernels of the methods that blend signed rows (PaletteRows::sides), from the motion of one block. Included by
// *_kernels.cpp alone. A method has
//   kFloats, kQuat                          the length of a side and the offset of its quaternion
//   motion(args, vertices, sides, v, scale)  the motion (motion.h) of the block that begins at v; `scale` comes first

#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

// Scales have kernels of their own: a branch inside would spill every index and weight around it.
template <class Method, class Index, int kCount, bool kTable, bool kScaled>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    const auto move = [&](const auto& sides) LISSOM_LAMBDA_INLINE {
      if constexpr (kScaled) {
        const LinearScale<L> scale{blend_affine(vertices, args.palette.scales)};
        move_block(args, Method::motion(args, vertices, sides, v, scale), v);
      } else {
        move_block(args, Method::motion(args, vertices, sides, v, NoScale<L>{}), v);
      }
    };
    with_sides<Method::kFloats, Method::kQuat, kTable>(args.palette, vertices, move);
  });
}

template <class Method, class Index, int kCount, bool kTable>
void skin_scaled_or_not(const SkinningKernelArgs& args) {
  args.palette.scales ? skin_blocks<Method, Index, kCount, kTable, true>(args)
                      : skin_blocks<Method, Index, kCount, kTable, false>(args);
}

// With specialised code for influence counts of `kCounts`.
template <class Method, int... kCounts>
struct SignedKernels {
  static void skin_narrow(const SkinningKernelArgs& args) {
    using Index = std::uint16_t;
    // Single influences need no sign; others use the table or, where there is none, the dot product.
    constexpr bool kHasSingle = ((kCounts == 1) || ...);
    const bool asks = !kHasSingle || args.influence_count > 1;
    if (asks && !args.palette.signs) {
      return skin_scaled_or_not<Method, Index, kAnyCount, false>(args);
    }
    with_count<kCounts...>(args.influence_count,
                           [&](auto count) { skin_scaled_or_not<Method, Index, count.value, true>(args); });
  }
  static void skin_wide(const SkinningKernelArgs& args) {
    skin_scaled_or_not<Method, std::uint32_t, kAnyCount, false>(args);
  }
  static constexpr SkinningKernels kernels() { return {skin_narrow, skin_wide}; }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
