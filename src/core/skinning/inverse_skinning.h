// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// The number of vertices, over all poses, that have no solution, and the first of them.
struct Unsolved {
  std::size_t count = 0;
  std::size_t batch = 0, vertex = 0;
};

// Inverse skinning: positions of vertices in bind space from those in a pose. Of the mesh it reads the influences
// alone.
//
// Linear: the blend M of a vertex's matrices is the affine map that moved it, and is inverted. Dual quaternions: the
// inverse of the normalised blend, each signed against the pivot as in skinning, then, with `scales`, the inverse of
// their linear blend.
//
// An inverse magnifies errors of the pose by up to the condition of the 3x3 part, here |M| |M^-1| / 3 in Frobenius
// norms: 1 for rotations and uniform scales. Vertices where it exceeds `max_condition` are unsolved: their positions
// are lost in rounding, or collapsed (a candy wrapper, a zero scale). They become NaN.
//
// Normals are moved by the inverse of their default motion: M^-1, or the inverse rotation and then S^T with the sign of
// its determinant, the inverse of the cofactor; then normalised. Zero ones stay zero.
//
// Computed in double for either type, one vertex at a time. Results do not depend on the number of threads.
template <class T>
struct InverseSkinningJob {
  Error validate() const;               // first broken rule below, or empty
  Error run(Unsolved* unsolved) const;  // validates, then fills the outputs; writes nothing on error

  const SkinnedMesh* mesh = nullptr;
  // Inputs. B palettes of S rows, finite; V vertices. Either matrices or dual_quats.
  std::span<const T> matrices;    // (B, S, 4, 4) model_from_bind; the last rows are not read
  std::span<const T> dual_quats;  // (B, S, 8) model_from_bind, no real part zero
  std::span<const T> scales;      // (B, S, 3, 4) bind from bind, or empty; with dual_quats
  std::size_t row_count = 0;      // S, at least mesh->row_count()
  std::size_t batch_count = 1;    // B
  std::span<const T> positions;   // (B, V, 3) model space, finite
  std::span<const T> normals;     // (B, V, 3) model space, finite; or empty
  double max_condition = 1e4;     // finite, at least 1
  bool refuse_unsolved = false;   // an error, rather than NaN, where a vertex is unsolved
  // Outputs, bind space.
  std::span<T> positions_out;  // (B, V, 3)
  std::span<T> normals_out;    // (B, V, 3), or empty as `normals` is
};

extern template struct InverseSkinningJob<float>;
extern template struct InverseSkinningJob<double>;

}  // namespace lissom
