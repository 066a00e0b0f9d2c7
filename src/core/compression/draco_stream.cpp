// SPDX-License-Identifier: MIT
#include "core/compression/draco_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/compression/draco_bytes.h"
#include "core/compression/draco_symbols.h"

namespace lissom {
namespace {

constexpr std::uint8_t kMesh = 1;
constexpr std::uint8_t kSequential = 0, kEdgeBreaker = 1;
constexpr std::uint32_t kHasMetadata = 0x8000;
constexpr std::uint8_t kMajor = 2, kMinor = 2;

// Bytes of a component by draco::DataType, from 1: integers of 8 to 64 bits, floats, bool.
constexpr std::array<std::uint8_t, 11> kSizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1};
constexpr int kMostComponents = 4;

// Source: the specification, Attributes Decoder and Prediction Decoder.
enum Coding : std::uint8_t { kGeneric, kInteger, kQuantized, kNormals, kCodings };
enum Prediction : int {
  kNoPrediction = -2,
  kOldTexCoords = 3,
  kMultiParallelogram = 4,
  kTexCoords = 5,
  kGeometricNormal = 6,
};
constexpr int kContexts = 4;  // of a multi-parallelogram's flags
enum Transform : int { kNoTransform = -1, kWrap = 1, kOctahedron = 2, kCanonicalOctahedron = 3 };

// Names and values of one element, and of those within it. The order does not matter: all are of one form.
// Source: the specification, Metadata Decoder, DecodeMetadataElement.
void pass_element(DracoBytes& bytes) {
  bool is_named = false;
  for (std::uint64_t left = 1; left > 0 && !bytes.failed(); --left) {
    if (is_named) bytes.take(bytes.byte());
    for (std::uint32_t count = bytes.varint(); count > 0 && !bytes.failed(); --count) {
      bytes.take(bytes.byte());
      bytes.take(bytes.varint());
    }
    left += bytes.varint();
    is_named = true;
  }
}

// Those of attributes, each after the attribute's number, then those of the mesh.
void pass_metadata(DracoBytes& bytes) {
  for (std::uint32_t count = bytes.varint(); count > 0 && !bytes.failed(); --count) {
    bytes.varint();
    pass_element(bytes);
  }
  pass_element(bytes);
}

// Triangles whose indices stand in the stream. Source: the specification, Sequential Decoder.
DracoSurface pass_indices(DracoBytes& bytes, std::uint64_t most_bytes) {
  DracoSurface surface;
  surface.faces = bytes.varint();
  surface.points = surface.vertices = surface.most_vertices = bytes.varint();
  const std::uint64_t corners = 3 * std::uint64_t{surface.faces};
  if (bytes.failed() || surface.faces * kDracoBytesPerFace > most_bytes) return surface;
  surface.is_whole = true;
  if (corners > bytes.left()) {
    bytes.refuse("the Draco stream must have bytes for its indices, got " + std::to_string(bytes.left()) +
                 " for " + std::to_string(surface.faces) + " triangles");
    return surface;
  }
  const std::uint8_t way = bytes.byte();
  if (bytes.failed()) return surface;
  if (way == 0) {
    pass_draco_symbols(bytes, corners, 1);
  } else if (surface.points < 1u << 8) {
    bytes.take(corners);
  } else if (surface.points < 1u << 16) {
    bytes.take(2 * corners);
  } else if (surface.points < 1u << 21) {
    for (std::uint64_t i = 0; i < corners && !bytes.failed(); ++i) bytes.varint();
  } else {
    bytes.take(4 * corners);
  }
  return surface;
}

// Attributes that are decoded together.
struct Group {
  std::uint32_t values = 0;
  std::size_t first = 0, end = 0;  // among all attributes
};

// Source: the specification, ParseAttributeDecodersData.
std::vector<Group> read_groups(DracoBytes& bytes, const DracoSurface& surface, bool is_walked) {
  std::vector<Group> groups(bytes.byte());
  std::vector<bool> is_taken(surface.seamed.size() + 1);  // 0 that of the positions
  for (Group& group : groups) {
    group.values = surface.vertices;
    if (!is_walked) continue;
    const int set = bytes.signed_byte();
    const bool by_corners = bytes.byte() != 0;
    const std::uint8_t traversal = bytes.byte();
    if (bytes.failed()) return {};
    const std::size_t place = set < 0 ? 0 : static_cast<std::size_t>(set) + 1;
    if (place >= is_taken.size() || is_taken[place] || (by_corners && place == 0) || traversal > 1) {
      bytes.refuse_damaged("groups of attributes on surfaces of their own");
      return {};
    }
    is_taken[place] = true;
    if (by_corners) group.values = surface.seamed[place - 1].values;
  }
  return groups;
}

// Source: the specification, ParseAttributeDecodersData.
void read_heads(DracoBytes& bytes, Group& group, std::vector<DracoAttribute>& attributes) {
  group.first = attributes.size();
  for (std::uint32_t count = bytes.varint(); count > 0 && !bytes.failed(); --count) {
    DracoAttribute one;
    one.kind = bytes.byte();
    one.data_type = bytes.byte();
    one.components = bytes.byte();
    bytes.byte();  // whether integers stand for fractions
    one.number = bytes.varint();
    one.values = group.values;
    if (bytes.failed()) return;
    if (one.data_type < 1 || one.data_type > kSizes.size() || one.components == 0) {
      return bytes.refuse_damaged("attributes of a type from 1 to " + std::to_string(kSizes.size()) +
                                  " and of a component at least, got type " + std::to_string(one.data_type) +
                                  ", " + std::to_string(one.components) + " components");
    }
    if (one.components > kMostComponents) {
      return bytes.refuse("the Draco stream must hold attributes of at most " +
                          std::to_string(kMostComponents) + " components, got " +
                          std::to_string(one.components) + " in number " + std::to_string(one.number));
    }
    attributes.push_back(one);
  }
  group.end = attributes.size();
  for (std::size_t i = group.first; i < group.end; ++i) {
    attributes[i].coding = bytes.byte();
    if (attributes[i].coding >= kCodings) {
      return bytes.refuse_damaged("attributes coded by ways 0 to " + std::to_string(kCodings - 1) + ", got " +
                                  std::to_string(attributes[i].coding));
    }
  }
}

void pass_transform(DracoBytes& bytes, int transform) { bytes.take(transform == kOctahedron ? 4 : 8); }

void check_flags(DracoBytes& bytes, std::uint64_t count, std::uint64_t corners) {
  if (count <= corners) return;
  bytes.refuse_damaged("a flag for each of its " + std::to_string(corners) + " corners at most, got " +
                       std::to_string(count));
}

// What a prediction needs beyond the values. Source: the specification, Prediction Decoder, DecodePredictionData.
void pass_prediction(DracoBytes& bytes, int prediction, int transform, std::uint64_t corners) {
  switch (prediction) {
    case kMultiParallelogram:
      for (int context = 0; context < kContexts; ++context) {
        const std::uint32_t count = bytes.varint();
        check_flags(bytes, count, corners);
        if (count > 0) DracoBits{bytes};
      }
      break;
    case kTexCoords:
    case kOldTexCoords:
      check_flags(bytes, prediction == kTexCoords ? bytes.word() : bytes.varint(), corners);
      DracoBits{bytes};
      break;
    default:
      break;
  }
  pass_transform(bytes, transform);
  if (prediction == kGeometricNormal) DracoBits{bytes};
}

// Source: the specification, Sequential Integer Attribute Decoder.
void pass_integers(DracoBytes& bytes, const DracoAttribute& one, const DracoStreamWalk& walk) {
  const std::uint32_t components = one.coding == kNormals ? 2 : one.components;
  const int prediction = bytes.signed_byte();
  const int transform = prediction == kNoPrediction ? int{kNoTransform} : bytes.signed_byte();
  const bool is_compressed = bytes.byte() != 0;
  if (bytes.failed()) return;
  if (prediction < kNoPrediction || prediction > kGeometricNormal || transform < kNoTransform ||
      transform > kCanonicalOctahedron) {
    return bytes.refuse_damaged("a prediction from -2 to 6 and a transform from -1 to 3, got " +
                                std::to_string(prediction) + " and " + std::to_string(transform));
  }
  if (is_compressed) {
    pass_draco_symbols(bytes, one.values, components);
  } else {
    bytes.take(std::uint64_t{bytes.byte()} * components * one.values);
  }
  // The decoder leaves transforms out that do not belong to the coding, and then predicts nothing.
  const bool is_predicted = one.coding == kNormals
                                ? transform == kOctahedron || transform == kCanonicalOctahedron
                                : transform == kWrap;
  if (!is_predicted) return;
  // Without a surface, and for normals by all other ways, differences are predicted alone.
  const bool on_surface = walk.is_walked && (one.coding != kNormals || prediction == kGeometricNormal);
  pass_prediction(bytes, on_surface ? prediction : 0, transform, 3 * std::uint64_t{walk.surface.faces});
}

// Source: the specification, Attributes Decoder, DecodeAttributeData.
void pass_values(DracoBytes& bytes, const Group& group, const DracoStreamWalk& walk) {
  for (std::size_t i = group.first; i < group.end && !bytes.failed(); ++i) {
    const DracoAttribute& one = walk.attributes[i];
    if (one.coding == kGeneric) {
      bytes.take(std::uint64_t{kSizes[one.data_type - 1u]} * one.components * one.values);
    } else {
      pass_integers(bytes, one, walk);
    }
  }
  for (std::size_t i = group.first; i < group.end; ++i) {
    const DracoAttribute& one = walk.attributes[i];
    // Smallest values, range and bits, or bits alone.
    if (one.coding == kQuantized) bytes.take(4u * one.components + 5);
    if (one.coding == kNormals) bytes.take(1);
  }
}

// Source: the specification, Draco Decoder, ParseHeader.
void read_header(DracoBytes& bytes, DracoStreamWalk& walk) {
  constexpr std::array<std::uint8_t, 5> kName = {'D', 'R', 'A', 'C', 'O'};
  const auto name = bytes.take(kName.size());
  if (!std::equal(name.begin(), name.end(), kName.begin(), kName.end())) {
    return bytes.refuse("the Draco stream must begin with DRACO; the data is none");
  }
  const std::uint8_t major = bytes.byte(), minor = bytes.byte(), kind = bytes.byte(), method = bytes.byte();
  const std::uint32_t flags_low = bytes.byte(), flags = flags_low | std::uint32_t{bytes.byte()} << 8;
  if (bytes.failed()) return;
  if (major != kMajor || minor != kMinor) {
    return bytes.refuse("the Draco stream must be of version 2.2, got " + std::to_string(major) + "." +
                        std::to_string(minor));
  }
  if (kind != kMesh || (method != kSequential && method != kEdgeBreaker)) {
    return bytes.refuse("the Draco stream must hold triangles, got kind " + std::to_string(kind) +
                        ", method " + std::to_string(method));
  }
  walk.is_walked = method == kEdgeBreaker;
  const std::size_t left = bytes.left();
  if ((flags & kHasMetadata) != 0) pass_metadata(bytes);
  walk.metadata = left - bytes.left();
}

}  // namespace

Error DracoStreamWalk::run() {
  DracoBytes bytes(stream);
  read_header(bytes, *this);
  if (bytes.failed()) return bytes.error();
  surface = is_walked ? read_draco_surface(bytes, most_bytes) : pass_indices(bytes, most_bytes);
  if (bytes.failed() || !surface.is_whole) return bytes.error();
  std::vector<Group> groups = read_groups(bytes, surface, is_walked);
  for (Group& group : groups) read_heads(bytes, group, attributes);
  if (bytes.failed()) return bytes.error();
  std::uint64_t values = 0;
  for (const DracoAttribute& one : attributes) values += one.values;
  is_whole = values <= most_bytes / kDracoBytesPerValue;
  if (!is_whole) return Error();
  for (const Group& group : groups) pass_values(bytes, group, *this);
  left = bytes.left();
  return bytes.error();
}

}  // namespace lissom
