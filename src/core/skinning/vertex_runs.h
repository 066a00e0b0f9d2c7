// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/skinning/kernels.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// Calls run(batch, begin, end) in parallel over the vertices of every palette of a batch: `begin` is a
// multiple of kVertexBlock, `end` too or the last vertex.
void for_each_vertex_run(std::size_t batch_count, std::size_t vertex_count, double nanoseconds_per_vertex,
                         const std::function<void(std::size_t, std::size_t, std::size_t)>& run);

// Floats on a 64-byte boundary, so that a palette row is one cache line. Not initialised.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t count);
  ~AlignedFloats();
  AlignedFloats(const AlignedFloats&) = delete;
  AlignedFloats& operator=(const AlignedFloats&) = delete;
  float* data() { return data_; }

 private:
  float* data_;
};

// Runs vector kernels over a mesh: fills in what they need
// of it, and gives them whole blocks of vertices only.
class VectorRuns {
 public:
  using Kernel = void (*)(const SkinningKernelArgs&);

  // `normals`: (V, 3), or empty.
  VectorRuns(const SkinnedMesh& mesh, std::span<const float> normals);

  // Over [begin, end), as for_each_vertex_run gives them. The outputs are those of the whole mesh.
  void run(Kernel narrow, Kernel wide, const PaletteRows& palette, std::size_t begin, std::size_t end,
           float* positions_out, float* normals_out) const;

 private:
  template <class Index>
  void view(const SkinnedMesh& mesh, std::span<const float> normals, std::vector<Index>* tail_indices);

  bool is_wide_;
  std::size_t vertex_count_;
  std::size_t whole_end_;     // where the last, incomplete block begins
  SkinningKernelArgs whole_;  // all but palette, range and outputs
  SkinningKernelArgs tail_;   // the incomplete block, filled up with copies of the last vertex
  std::vector<float> tail_floats_;
  std::vector<std::uint16_t> tail_indices_;
  std::vector<std::uint32_t> wide_tail_indices_;
};

}  // namespace lissom
