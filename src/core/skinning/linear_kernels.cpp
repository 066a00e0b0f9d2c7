// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class Index, int kCount>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    move_block(args, LinearMotion<L>{blend_affine(vertices, args.palette.matrices)}, v);
  });
}

void skin_narrow(const SkinningKernelArgs& args) {
  with_count<1, 2, 4>(args.influence_count,
                      [&](auto count) { skin_blocks<std::uint16_t, count.value>(args); });
}

void skin_wide(const SkinningKernelArgs& args) { skin_blocks<std::uint32_t, kAnyCount>(args); }

}  // namespace

extern const SkinningKernels linear_kernels;
const SkinningKernels linear_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
