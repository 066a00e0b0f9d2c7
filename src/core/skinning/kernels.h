// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// A palette as the vector kernels read it, on 64-byte boundaries. Members that a method does not use are null.
struct PaletteRows {
  const float* matrices;  // (S, 16): the 3x4 that is blended linearly, then four that are not used
  const float* scales;    // (S, 16): likewise the scale before the rigid part; null where every row is rigid
  // (S, 2, R): the rigid part, then the same transform with the other sign. Dual quaternions: R = 8, q then -q.
  // Centres of rotation: R = 16, a 3x4 matrix with its quaternion, then the matrix with the negated one.
  const float* sides;
  const std::uint8_t*
      signs;              // (S, S): 1 where row j has its other sign for pivot i. Null: use the dot product
  std::size_t row_count;  // S
};

enum class WeightFormat : std::uint8_t { kFloat, kByte, kShort };
inline constexpr float kByteOne = 255, kShortOne = 65535;  // the weight 1

// Arguments of the vector kernels of all methods: plain pointers, all checked.
struct SkinningKernelArgs {
  const float* positions;  // (V, 3)
  const float* normals;    // (V, 3), or null: none are computed
  const float* tangents;   // (V, 4), or null; with normals only
  const float* centers;    // (V, 3) of rotation, for cor
  const float* blend;      // (V): 0 linear, 1 dual quaternion, for blended
  const void* indices;     // (V, K) uint16, or uint32 for the wide kernel; uint8 with byte_indices
  const void* pivots;      // (V) uint16, or uint32 for the wide kernel
  const void* weights;     // (V, K) float32, or by weight_format
  std::size_t influence_count;
  bool byte_indices;
  WeightFormat weight_format;
  // Memory for kVertexBlock * K decoded influences, where they are not uint16 or uint32 and float32 already.
  std::uint16_t* decoded_indices;
  float* decoded_weights;
  bool upright;  // normals by Motion::upright(), see motion.h
  PaletteRows palette;
  std::size_t begin, end;  // vertices, whole blocks of kVertexBlock
  float* positions_out;    // (V, 3)
  float* normals_out;      // (V, 3)
  float* tangents_out;     // (V, 4)
};

inline constexpr std::size_t kVertexBlock = 16;

// One method's kernels, for uint16 and for uint32 indices.
struct SkinningKernels {
  void (*narrow)(const SkinningKernelArgs&);
  void (*wide)(const SkinningKernelArgs&);
};

// Fills signs (S, S) from the quaternions (S, stride): 1 where the dot product of i and j is negative.
struct SignKernels {
  void (*find_signs)(const float* quats, std::size_t stride, std::size_t row_count, std::uint8_t* signs);
};

}  // namespace lissom
