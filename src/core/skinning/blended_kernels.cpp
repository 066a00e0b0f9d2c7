// SPDX-License-Identifier: MIT
#include "core/skinning/signed_blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

struct BlendedBlocks {
  static constexpr int kFloats = 8, kQuat = 0;

  template <class Vertices, class Sides, class Scale>
  static LISSOM_INLINE auto motion(const SkinningKernelArgs& args, const Vertices& vertices,
                                   const Sides& sides, std::size_t v, const Scale& scale) {
    const LinearMotion<L> linear{blend_affine(vertices, args.palette.matrices)};
    const DualQuatMotion<L> rigid{blend_dual_quats(vertices, sides)};
    return blended<L>(linear, scale.before(rigid), load(args.blend + v));
  }
};

}  // namespace

extern const SkinningKernels blended_kernels;
const SkinningKernels blended_kernels = SignedKernels<BlendedBlocks, 4>::kernels();

}  // namespace lissom::LISSOM_ISA
