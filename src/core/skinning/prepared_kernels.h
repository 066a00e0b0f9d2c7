// SPDX-License-Identifier: MIT
#pragma once

#include "core/skinning/influence_blocks.h"
#include "core/skinning/kernels.h"

namespace lissom {

// Where a block's vertices and its rows begin. They end where those of the next block begin.
struct PreparedBlock {
  std::size_t vertex, row;
};

// What the kernels of prepared meshes are handed: plain pointers, all checked. Per block and lane of it: a lane without a
// vertex repeats one that has.
struct PreparedKernelArgs {
  const PreparedBlock* blocks;  // (B + 1)
  const std::uint32_t* rows;    // of the palette
  const float* weights;         // per row (16)
  const float* positions;       // (B, 3, 16)
  const float* normals;         // (B, 3, 16), or null: then none are made
  const float* tangents;        // (B, 4, 16), or null; with normals only
  const float* centers;         // (V, 3) in the order of the results, for cor
  const float* blend;           // (V) likewise, for blended
  const std::uint32_t* order;   // (V) where each vertex goes; null: results stay in the order of the blocks
  bool upright;                 // normals by Motion::upright(), see motion.h
  PaletteRows palette;
  const std::uint8_t* scaled_rows;  // (S) 1 where a row has a scale; null: all have what palette.scales says
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
