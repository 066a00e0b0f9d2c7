// SPDX-License-Identifier: MIT
#include "core/skinning/signed_blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

struct CorBlocks {
  static constexpr int kFloats = 16, kQuat = 12;

  template <class Vertices, class Sides, class Scale>
  static LISSOM_INLINE auto motion(const SkinningKernelArgs& args, const Vertices& vertices,
                                   const Sides& sides, std::size_t v, const Scale& scale) {
    L rows[4][4];
    blend_rows(vertices, sides, rows);
    CorMotion<L> rigid;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) rigid.blend.m[i][j] = rows[i][j];
    }
    rigid.rotation = {rows[3][0], rows[3][1], rows[3][2], rows[3][3]};
    rigid.center = scale.point(load_packed3(args.centers + 3 * v));
    return scale.before(rigid);
  }
};

}  // namespace

extern const SkinningKernels cor_kernels;
const SkinningKernels cor_kernels = SignedKernels<CorBlocks, 4>::kernels();

}  // namespace lissom::LISSOM_ISA
