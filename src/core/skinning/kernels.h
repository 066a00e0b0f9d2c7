// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// A palette as the vector kernels read it, on 64-byte boundaries.
struct PaletteRows {
  const float* matrices;      // (S, 16): the 3x4, then four that are not used. Null where there are none
  const float* dual_quats;    // (S, 2, 8): q, then -q. Null for linear skinning
  const std::uint8_t* signs;  // (S, S): 1 where row j is negated beside pivot i. Null: ask the dot product
  std::size_t row_count;      // S
};

// What the vector kernels of both methods are handed: plain pointers, all checked.
struct SkinningKernelArgs {
  const float* positions;  // (V, 3)
  const float* normals;    // (V, 3), or null: then none are made
  const void* indices;     // (V, K) uint16, or uint32 for the wide kernel
  const void* pivots;      // (V) likewise
  const float* weights;    // (V, K)
  std::size_t influence_count;
  PaletteRows palette;
  std::size_t begin, end;  // vertices, whole blocks of kVertexBlock
  float* positions_out;    // (V, 3)
  float* normals_out;      // (V, 3)
};

inline constexpr std::size_t kVertexBlock = 16;

// A cofactor that shortens a normal below this share of |S|^2 has left rounding alone:
// S has no area across it.
inline constexpr double kVanishing = 1e-6;

struct LinearKernels {
  void (*narrow)(const SkinningKernelArgs&);
  void (*wide)(const SkinningKernelArgs&);
};

struct DualQuatKernels {
  void (*narrow)(const SkinningKernelArgs&);
  void (*wide)(const SkinningKernelArgs&);
  // Fills signs (S, S) from dual_quats (S, 2, 8).
  void (*find_signs)(const float* dual_quats, std::size_t row_count, std::uint8_t* signs);
};

}  // namespace lissom
