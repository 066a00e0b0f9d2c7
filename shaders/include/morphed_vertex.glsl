// SPDX-License-Identifier: MIT
// A vertex with its morph targets, as attribute and textures (morphs.glsl); without MORPHS as it is.
#ifndef LISSOM_MORPHED_VERTEX
#define LISSOM_MORPHED_VERTEX

#include "morphs.glsl"

#ifdef MORPHS
in uint morph_vertex;  // 0 where no target moves the vertex, else one more than its number

uniform highp usampler2D morph_masks;
uniform highp sampler2D morph_rows;
uniform highp usampler2D morph_weights;
uniform int morph_blocks;
uniform int morph_texels;  // of a list
#endif

// By the list of an instance.
Morphed morphed_vertex(int instance, vec3 position, vec3 normal) {
#ifdef MORPHS
  if (morph_vertex != 0u) {
    MorphList list = MorphList(instance * morph_texels, morph_blocks);
    return morphed(morph_masks, morph_rows, morph_weights, list, int(morph_vertex) - 1, position, normal);
  }
#endif
  return Morphed(position, normal);
}

#endif
