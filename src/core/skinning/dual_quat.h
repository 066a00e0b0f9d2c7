// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// Dual quaternion skinning: the normalised blend of each vertex's skin dual quaternions moves its bind
// position. Each influence is signed against the pivot, the one with the largest weight, so that q and -q
// give the same. With `scales` a vertex is first moved by the linear blend of those (two phases). Normals are
// rotated, after the cofactor of the blended scale where there is one, and normalised; what the cofactor
// makes vanish is rotated alone. Sources: Kavan, Collins, Zara, O'Sullivan, ACM TOG 27(4) art. 105, 2008,
// algorithm 1 and section 4.2 (two phases). float runs the vector kernels, double one vertex at a time.
// Results do not depend on the number of threads.
template <class T>
struct DualQuatSkinningJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  // Inputs. B palettes of S rows; V vertices.
  const SkinnedMesh* mesh = nullptr;
  std::span<const float> normals;  // (V, 3) bind space, or empty: then no normals are made
  // (B, S, 8) model_from_bind, finite, no real part zero; the length of that acts as a weight.
  std::span<const T> dual_quats;
  std::span<const T> scales;    // (B, S, 3, 4) bind from bind, finite; or empty: all rows are rigid
  std::size_t row_count = 0;    // S, at least mesh->row_count()
  std::size_t batch_count = 1;  // B
  // Outputs, model space.
  std::span<T> positions_out;  // (B, V, 3)
  std::span<T> normals_out;    // (B, V, 3), or empty as `normals` is
};

extern template struct DualQuatSkinningJob<float>;
extern template struct DualQuatSkinningJob<double>;

}  // namespace lissom
