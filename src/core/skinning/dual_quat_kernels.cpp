// SPDX-License-Identifier: MIT
#include "core/skinning/signed_blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

struct DualQuatBlocks {
  static constexpr int kFloats = 8, kQuat = 0;

  template <class Vertices, class Sides, class Scale>
  static LISSOM_INLINE auto motion(const SkinningKernelArgs&, const Vertices& vertices, const Sides& sides,
                                   std::size_t, const Scale& scale) {
    return scale.before(DualQuatMotion<L>{blend_dual_quats(vertices, sides)});
  }
};

}  // namespace

extern const SkinningKernels dual_quat_kernels;
const SkinningKernels dual_quat_kernels = SignedKernels<DualQuatBlocks, 1, 2, 4>::kernels();

}  // namespace lissom::LISSOM_ISA
