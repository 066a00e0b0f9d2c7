// SPDX-License-Identifier: MIT
#pragma once

#include "core/skinning/influence_blocks.h"
#include "core/skinning/kernels.h"

namespace lissom {

// The begins of a block's vertices and rows. Their ends are the begins of the next block's.
struct PreparedBlock {
  std::size_t vertex, row;
};

// Arguments of the kernels of prepared meshes: plain pointers, all checked. Numbers are per block and lane: a lane
// without a vertex repeats another.
struct PreparedKernelArgs {
  const PreparedBlock* blocks;  // (B + 1)
  const std::uint32_t* rows;    // of the palette
  const float* weights;         // per row (16)
  const float* positions;       // (B, 3, 16)
  const float* normals;         // (B, 3, 16), or null: none are computed
  const float* tangents;        // (B, 4, 16), or null; with normals only
  const float* centers;         // (V, 3) in the order of the results, for cor
  const float* blend;           // (V) likewise, for blended
  const std::uint32_t* order;   // (V) index of each vertex in the results; null: in the order of the blocks
  bool upright;                 // normals by Motion::upright(), see motion.h
  PaletteRows palette;
  const std::uint8_t* scaled_rows;  // (S) 1 where a row has a scale; null: all as palette.scales says
  std::size_t begin, end;           // blocks
  float* positions_out;             // (V, 3)
  float* normals_out;               // (V, 3)
  float* tangents_out;              // (V, 4)
};

struct PreparedKernels {
  void (*linear)(const PreparedKernelArgs&);
  void (*dual_quat)(const PreparedKernelArgs&);
  void (*cor)(const PreparedKernelArgs&);
  void (*blended)(const PreparedKernelArgs&);
};

}  // namespace lissom
