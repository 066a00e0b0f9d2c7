// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// The rows of an active morph target that are not applied yet, by increasing vertex.
struct MorphCursor {
  std::size_t row, end;
  float weight;
};

// Arguments of the kernels that add morph targets to some vertices: plain pointers, all checked.
struct MorphKernelArgs {
  const std::uint32_t* vertices;  // (R) of each row
  const float* positions;         // (R, 3) differences, as all three
  const float* normals;           // or null
  const float* tangents;          // or null
  MorphCursor* cursors;           // of the active targets; they stand after what was applied afterwards
  std::size_t cursor_count;
  std::uint32_t begin, end;  // vertices to be moved: the cursors stand at rows of them, or after
  // For blocks: (V) place of each vertex in the lanes of all blocks, 16 to each, and the place of the first output.
  const std::uint32_t* slots;
  std::uint32_t first_slot;
  // What is added to. By vertices from `begin` on: (n, 3), (n, 3), (n, 4). By blocks: (B, 3, 16), (B, 3, 16), (B, 4, 16).
  float* positions_out;
  float* normals_out;
  float* tangents_out;
};

struct MorphKernels {
  void (*vertices)(const MorphKernelArgs&);
  void (*blocks)(const MorphKernelArgs&);
};

}  // namespace lissom
