// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compression/draco_surface.h"
#include "core/error.h"

namespace lissom {

// What the decoder takes at least for a value of an attribute.
constexpr std::uint64_t kDracoBytesPerValue = 4;

// What a stream says of one attribute.
struct DracoAttribute {
  std::uint32_t number = 0;     // its unique id, by which files name it
  std::uint8_t kind = 0;        // draco::GeometryAttribute::Type
  std::uint8_t data_type = 0;   // draco::DataType, from 1
  std::uint8_t components = 0;  // 1 to 4, as an accessor may have
  std::uint8_t coding = 0;      // 0 as it is, 1 integers, 2 quantized, 3 normals
  std::uint32_t values = 0;     // different ones
};

// Walks a Draco stream of triangles from its first byte to its last, to say what decoding it would make before any of
// it is made: sections are passed as the decoder reads them, and what would have it go on from another place, or
// allocate what no encoder asks for, is refused. So tables of symbols have at most 2^18 of them (7 MiB while they are
// used), flags at most one for each corner, and values stand where they are looked for. The stream may come from
// anywhere. Values themselves are not decoded, nor judged. Time and memory are bounded by `most_bytes`.
// Source: Google, Draco bitstream specification 2.2, https://google.github.io/draco/spec/; the decoder where that is
// silent. Owns none of its buffers.
struct DracoStreamWalk {
  Error run();

  std::span<const std::uint8_t> stream;
  // What may be taken. Where faces, or the values of all attributes at `kDracoBytesPerValue`, take more, reading ends
  // before these and `is_whole` is false: the caller refuses such a stream.
  std::uint64_t most_bytes = 0;

  bool is_whole = false;
  std::uint64_t left = 0;      // bytes behind the last that is decoded
  std::uint64_t metadata = 0;  // bytes of texts that describe the mesh
  DracoSurface surface;        // without seams, its points are its vertices
  bool is_walked = false;      // false where the indices of the triangles stand in the stream
  std::vector<DracoAttribute> attributes;
};

}  // namespace lissom
