// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel/thread_pool.h"
#include "core/skinning/kernels.h"
#include "core/skinning/morph_targets.h"
#include "core/skinning/skinning_job.h"

namespace lissom {

// Calls run(batch, begin, end) in parallel over the vertices of every palette of a batch: `begin` is a
// multiple of kVertexBlock, `end` too or the last vertex.
template <class Run>
void for_each_vertex_run(std::size_t batch_count, std::size_t vertex_count, double nanoseconds_per_vertex,
                         const Run& run) {
  const std::size_t blocks = (vertex_count + kVertexBlock - 1) / kVertexBlock;
  // One item is a block of one palette. A chunk may run over the end of a palette into the next.
  const auto run_chunk = [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t batch = begin / blocks;
      const std::size_t first = begin - batch * blocks;
      const std::size_t last = std::min(blocks, first + (end - begin));
      run(batch, first * kVertexBlock, std::min(last * kVertexBlock, vertex_count));
      begin += last - first;
    }
  };
  parallel_for(batch_count * blocks, 1, kVertexBlock * nanoseconds_per_vertex, run_chunk);
}

class MorphedVertices;

// Runs vector kernels over the mesh of a job: fills in their arguments, and passes whole blocks of vertices only.
class VectorRuns {
 public:
  explicit VectorRuns(const SkinningJob<float>& job);

  // Over [begin, end) of one palette, as for_each_vertex_run passes them. `scaled_rows` (S) marks rows that have a
  // scale; null: all, if palette.scales is given. Blocks without one are moved as if the palette had none.
  void run(const SkinningKernels& kernels, const PaletteRows& palette, const std::uint8_t* scaled_rows,
           std::size_t batch, std::size_t begin, std::size_t end) const;

 private:
  template <class Index>
  void view(std::vector<Index>* tail_indices);
  // Over whole blocks. `morphed` is null, or holds what stands in for the bind arrays of those from `first` on.
  void run_whole(const SkinningKernels& kernels, const PaletteRows& palette, const std::uint8_t* scaled_rows,
                 SkinningKernelArgs args, std::size_t begin, std::size_t end,
                 const MorphedVertices* morphed) const;
  // Whether a vertex of [begin, end) is bound to a row with scale.
  bool is_scaled(const std::uint8_t* scaled_rows, std::size_t begin, std::size_t end) const;

  const SkinningJob<float>& job_;
  ActiveMorphs morphs_;
  std::size_t whole_end_;     // the begin of the last, incomplete block
  SkinningKernelArgs whole_;  // all but palette, range and outputs
  SkinningKernelArgs tail_;   // the incomplete block, filled up with copies of the last vertex
  std::vector<float> tail_floats_;
  std::vector<std::uint16_t> tail_indices_;
  std::vector<std::uint32_t> wide_tail_indices_;
};

}  // namespace lissom
