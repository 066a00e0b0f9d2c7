// SPDX-License-Identifier: MIT
#include "core/skinning/morph_kernels.h"

#include "core/simd/rows.h"
#include "core/skinning/influence_blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

// Component by component: neighbouring vertices overlap in any vector of more, whose loads would wait for the stores
// before.
template <std::size_t kStride>
LISSOM_INLINE void add(float* to, const float* delta, float weight) {
  to[0] += weight * delta[0];
  to[kStride] += weight * delta[1];
  to[2 * kStride] += weight * delta[2];
}

struct Numbers {
  std::size_t position, normal, tangent;
};

// Adds the rows of all cursors up to the vertex `end`. `place_of(vertex)` says where the vertex's numbers begin.
template <std::size_t kStride, bool kNormals, bool kTangents, class PlaceOf>
LISSOM_INLINE void add_rows(const MorphKernelArgs& args, PlaceOf place_of) {
  for (std::size_t i = 0; i < args.cursor_count; ++i) {
    MorphCursor& cursor = args.cursors[i];
    const float weight = cursor.weight;
    std::size_t row = cursor.row;
    for (; row < cursor.end; ++row) {
      const std::uint32_t vertex = args.vertices[row];
      if (vertex >= args.end) break;
      const Numbers place = place_of(vertex);
      add<kStride>(args.positions_out + place.position, args.positions + 3 * row, weight);
      if constexpr (kNormals) {
        add<kStride>(args.normals_out + place.normal, args.normals + 3 * row, weight);
      }
      if constexpr (kTangents) {
        add<kStride>(args.tangents_out + place.tangent, args.tangents + 3 * row, weight);
      }
    }
    cursor.row = row;
  }
}

template <std::size_t kStride, class PlaceOf>
LISSOM_INLINE void add_attributes(const MorphKernelArgs& args, PlaceOf place_of) {
  if (args.normals && args.tangents) {
    add_rows<kStride, true, true>(args, place_of);
  } else if (args.normals) {
    add_rows<kStride, true, false>(args, place_of);
  } else if (args.tangents) {
    add_rows<kStride, false, true>(args, place_of);
  } else {
    add_rows<kStride, false, false>(args, place_of);
  }
}

void add_to_vertices(const MorphKernelArgs& args) {
  const std::size_t begin = args.begin;
  add_attributes<1>(args, [=](std::size_t vertex) LISSOM_LAMBDA_INLINE {
    const std::size_t i = vertex - begin;
    return Numbers{3 * i, 3 * i, 4 * i};
  });
}

void add_to_blocks(const MorphKernelArgs& args) {
  constexpr std::size_t kLanes = kPreparedBlock;
  const std::uint32_t* const slots = args.slots;
  const std::uint32_t first = args.first_slot;
  add_attributes<kLanes>(args, [=](std::size_t vertex) LISSOM_LAMBDA_INLINE {
    const std::size_t slot = slots[vertex] - first, lane = slot % kLanes, block = slot - lane;
    return Numbers{3 * block + lane, 3 * block + lane, 4 * block + lane};
  });
}

}  // namespace

extern const MorphKernels morph_kernels;
const MorphKernels morph_kernels{add_to_vertices, add_to_blocks};

}  // namespace lissom::LISSOM_ISA
