// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// What a stream holds, and how its elements are changed after they are decoded; by the names of glTF.
enum class MeshoptMode { kAttributes, kTriangles, kIndices };
enum class MeshoptFilter { kNone, kOctahedral, kQuaternion, kExponential, kColor };

// Decodes one buffer view of EXT_meshopt_compression or KHR_meshopt_compression by the decoders of meshoptimizer
// (src/vendor), after the rules that both extensions state. The stream may come from anywhere: whatever its bytes are,
// nothing outside of it is read and nothing outside of `out` written. Values are not judged: indices may be of any size.
// Source: glTF, EXT_meshopt_compression and KHR_meshopt_compression, appendices A and B. Owns none of its buffers.
struct MeshoptStreamJob {
  // The first broken rule, or empty: mode, filter and stride fit each other, the stream begins as its mode says, and is
  // long enough for the elements declared, of which few bytes can hold many: at most 12 bytes come of one in triangles, 4
  // in indices, 256 in attributes of version 0 and 1024 in those of version 1. Does not look at `out`, so that its
  // memory is taken after this check.
  Error validate() const;
  // Validates, then fills `out`; where the stream breaks off or goes on beyond its elements, `out` is undefined.
  Error run() const;

  MeshoptMode mode = MeshoptMode::kAttributes;
  MeshoptFilter filter = MeshoptFilter::kNone;
  std::uint64_t count = 0;               // elements, or indices; at least 1
  std::uint64_t stride = 0;              // bytes of one
  std::span<const std::uint8_t> stream;  // compressed
  std::span<std::uint8_t> out;           // count * stride bytes, at a multiple of 4
};

}  // namespace lissom
