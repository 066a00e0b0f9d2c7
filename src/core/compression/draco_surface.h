// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/compression/draco_bytes.h"

namespace lissom {

// What the connectivity of a stream, decoded, holds of each thing.
struct DracoSurface {
  // Of one set of attributes that has seams of its own.
  struct Seamed {
    std::uint32_t seams = 0;   // edges between two triangles where its values differ
    std::uint32_t values = 0;  // of each of its attributes
  };

  std::uint32_t faces = 0;
  std::uint32_t most_vertices = 0;  // that are made, before some are merged
  std::uint32_t vertices = 0;       // different places
  std::uint32_t points = 0;         // different in any attribute
  std::uint32_t borders = 0;        // edges of one triangle
  std::vector<Seamed> seamed;
  bool is_whole = false;
};

// What is taken for each face while a surface is put together, and at least what the decoder takes for each face and set
// of attributes that has seams of its own.
constexpr std::uint64_t kDracoBytesPerFace = 56, kDracoBytesPerSeamedFace = 12;

// Decodes the connectivity of a surface that was walked by EdgeBreaker, to count what it has: the same triangles and
// vertices as the decoder, which is what tells how many values follow. Where these bytes are more than `most_bytes`,
// nothing is read but `faces`, `most_vertices` and how many are `seamed`; `is_whole` is false.
// Source: the specification (draco_bytes.h), EdgeBreaker Decoder, EdgeBreaker Traversal, EdgeBreaker Traversal Valence,
// Boundary Decoder, Attributes Decoder; Rossignac, Edgebreaker, IEEE TVCG 5(1), 1999.
DracoSurface read_draco_surface(DracoBytes& bytes, std::uint64_t most_bytes);

}  // namespace lissom
