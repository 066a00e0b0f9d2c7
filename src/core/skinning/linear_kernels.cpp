// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class Index, int kCount, bool kNormals>
void skin_blocks(const SkinningKernelArgs& args) {
  for_each_block<Index, kCount>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    const Affine<L> blend = blend_matrices(args.palette.matrices, vertices);
    store_packed3(args.positions_out + 3 * v, transform_point(blend, load_packed3(args.positions + 3 * v)));
    if (kNormals) {
      const Vec3<L> normal = transform_vector(blend, load_packed3(args.normals + 3 * v));
      store_packed3(args.normals_out + 3 * v, normalized_or_zero(normal));
    }
  });
}

void skin_narrow(const SkinningKernelArgs& args) {
  with_count(args.influence_count, [&](auto count) {
    using Index = std::uint16_t;
    args.normals ? skin_blocks<Index, count.value, true>(args) : skin_blocks<Index, count.value, false>(args);
  });
}

void skin_wide(const SkinningKernelArgs& args) {
  using Index = std::uint32_t;
  args.normals ? skin_blocks<Index, kAnyCount, true>(args) : skin_blocks<Index, kAnyCount, false>(args);
}

}  // namespace

extern const LinearKernels linear_kernels;
const LinearKernels linear_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
