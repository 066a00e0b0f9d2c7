// SPDX-License-Identifier: MIT
// The influences of a vertex as attributes, and skinning by the method that the program is made for: palette rows as
// integers, weights summing to 1. PALETTE_STRIDE is 3 for linear skinning, 2 for rigid and 5 for scaled dual
// quaternions (palette.glsl); a constant, because hardware without branches computes all that a uniform leaves open.
#ifndef LISSOM_INFLUENCES
#define LISSOM_INFLUENCES

#include "skinning.glsl"

#ifndef PALETTE_STRIDE
#define PALETTE_STRIDE 2
#endif

in uvec4 rows;
in vec4 weights;
#if INFLUENCE_COUNT == 8
in uvec4 more_rows;
in vec4 more_weights;
#endif

Influences vertex_influences() {
#if INFLUENCE_COUNT == 8
  return influences_of(rows, weights, more_rows, more_weights);
#else
  return influences_of(rows, weights);
#endif
}

// A vertex moved by the palette that starts at texel `first`.
Skinned skin_vertex(highp sampler2D texels, int first, vec3 position, vec3 normal) {
  Palette palette = Palette(first, PALETTE_STRIDE);
#if PALETTE_STRIDE == 3
  return skin_linear(texels, palette, vertex_influences(), position, normal);
#else
  return skin_dual_quat(texels, palette, vertex_influences(), position, normal);
#endif
}

#endif
