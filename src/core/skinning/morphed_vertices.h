// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/skinning/morph_targets.h"

namespace lissom {

// Vertices at a time that are copied, morphed and skinned: what is copied stays in the first cache.
inline constexpr std::size_t kMorphedVertices = 512;

// Bind arrays with a pose's morph targets added, a piece after another: memory for one piece, filled again and again.
// Pieces are taken in order.
class MorphedVertices {
 public:
  // From the vertex `begin` on. `normals` and `tangents`: whether to have those, too.
  MorphedVertices(const MorphTargets& targets, const ActiveMorphs& active, std::size_t batch,
                  std::size_t begin, bool normals, bool tangents);

  // Whether a target moves one of the vertices up to `end`, of those not taken yet.
  bool moves_before(std::size_t end) const { return lissom::moves_before(cursors_, args_.vertices, end); }

  // Copies the base arrays of `count` vertices, or lanes, and adds what moves the vertices [begin, end). Then
  // positions() and its siblings are those. Null bases are skipped.
  void take(const float* positions, const float* normals, const float* tangents, std::size_t count,
            std::size_t begin, std::size_t end);
  // The same of blocks: `slots` (V) is where each vertex is in the lanes, `first_slot` the place of the first lane.
  void take_blocks(const float* positions, const float* normals, const float* tangents, std::size_t count,
                   std::size_t begin, std::size_t end, const std::uint32_t* slots, std::size_t first_slot);

  const float* positions() const { return memory_.get(); }
  const float* normals() const { return memory_.get() + 3 * kMorphedVertices; }
  const float* tangents() const { return memory_.get() + 6 * kMorphedVertices; }

 private:
  void copy(const float* positions, const float* normals, const float* tangents, std::size_t count);

  std::vector<MorphCursor> cursors_;
  MorphKernelArgs args_;
  std::unique_ptr<float[]> memory_;
};

}  // namespace lissom
