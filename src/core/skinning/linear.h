// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// Linear blend skinning: blends each vertex's palette matrices by its weights, then
// moves the bind position by the blend. Normals are rotated by its 3x3 and normalised;
// a zero normal stays zero. Owns none of its buffers. float runs the vector kernels,
// double one vertex at a time. Results do not depend on the number of threads.
template <class T>
struct LinearSkinningJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  // Inputs. B palettes of S rows; V vertices.
  const SkinnedMesh* mesh = nullptr;
  std::span<const float> normals;  // (V, 3) bind space, or empty: then no normals are made
  std::span<const T> matrices;     // (B, S, 4, 4) model_from_bind, finite; the last rows are not read
  std::size_t row_count = 0;       // S, at least mesh->row_count()
  std::size_t batch_count = 1;     // B
  // Outputs, model space.
  std::span<T> positions_out;  // (B, V, 3)
  std::span<T> normals_out;    // (B, V, 3), or empty as `normals` is
};

extern template struct LinearSkinningJob<float>;
extern template struct LinearSkinningJob<double>;

}  // namespace lissom
