// SPDX-License-Identifier: MIT
#include "core/skinning/morphed_vertices.h"

#include <algorithm>

#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(MorphKernels, morph_kernels)

MorphedVertices::MorphedVertices(const MorphTargets& targets, const ActiveMorphs& active, std::size_t batch,
                                 std::size_t begin, bool normals, bool tangents)
    : cursors_(active.cursors(batch, begin)),
      args_{},
      memory_(std::make_unique_for_overwrite<float[]>((3 + 3 + 4) * kMorphedVertices)) {
  const MorphTargets::Arrays& arrays = targets.arrays();
  args_.vertices = arrays.vertices.data();
  args_.positions = arrays.positions.data();
  args_.normals = normals && !arrays.normals.empty() ? arrays.normals.data() : nullptr;
  args_.tangents = tangents && !arrays.tangents.empty() ? arrays.tangents.data() : nullptr;
  args_.cursors = cursors_.data();
  args_.cursor_count = cursors_.size();
  args_.positions_out = memory_.get();
  args_.normals_out = memory_.get() + 3 * kMorphedVertices;
  args_.tangents_out = memory_.get() + 6 * kMorphedVertices;
}

void MorphedVertices::copy(const float* positions, const float* normals, const float* tangents,
                           std::size_t count) {
  std::copy_n(positions, 3 * count, args_.positions_out);
  if (normals) std::copy_n(normals, 3 * count, args_.normals_out);
  if (tangents) std::copy_n(tangents, 4 * count, args_.tangents_out);
}

void MorphedVertices::take(const float* positions, const float* normals, const float* tangents,
                           std::size_t count, std::size_t begin, std::size_t end) {
  copy(positions, normals, tangents, count);
  args_.begin = static_cast<std::uint32_t>(begin);
  args_.end = static_cast<std::uint32_t>(end);
  morph_kernels().vertices(args_);
}

void MorphedVertices::take_blocks(const float* positions, const float* normals, const float* tangents,
                                  std::size_t count, std::size_t begin, std::size_t end,
                                  const std::uint32_t* slots, std::size_t first_slot) {
  copy(positions, normals, tangents, count);
  args_.begin = static_cast<std::uint32_t>(begin);
  args_.end = static_cast<std::uint32_t>(end);
  args_.slots = slots;
  args_.first_slot = static_cast<std::uint32_t>(first_slot);
  morph_kernels().blocks(args_);
}

}  // namespace lissom
