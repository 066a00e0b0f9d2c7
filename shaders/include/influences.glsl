// SPDX-License-Identifier: MIT
// A vertex as attributes, and skinning by the method that the program is made for. Attributes are the same for every
// method: palette rows as integers, weights summing to 1, heaviest first; further inputs of a method are in buffers
// of their own. The method and the layout are constants, because hardware without branches computes all branches of a
// uniform.
//   SKINNING_METHOD  PALETTE_STRIDE (palette.glsl)
//   0 linear         3
//   1 dual_quat      2, with scale 5
//   2 quat_trans     2, 5
//   3 cor            2, 5
//   4 blended        5, 8
#ifndef LISSOM_INFLUENCES
#define LISSOM_INFLUENCES

#ifndef PALETTE_STRIDE
#define PALETTE_STRIDE 2
#endif
#ifndef SKINNING_METHOD
#define SKINNING_METHOD 1
#endif
#define INFLUENCES_SORTED

#include "skin_blended.glsl"
#include "skin_cor.glsl"
#include "skin_quat_trans.glsl"
#include "skinning.glsl"

in uvec4 rows;
in vec4 weights;
#if INFLUENCE_COUNT > 4
in uvec4 more_rows;
in vec4 more_weights;
#endif
#if SKINNING_METHOD == 3
in vec3 center;  // of rotation, bind space
#elif SKINNING_METHOD == 4
in float blend;  // 0 linear to 1 dual quaternion
#endif

Influences vertex_influences() {
#if INFLUENCE_COUNT > 4
  return influences_of(rows, weights, more_rows, more_weights);
#else
  return influences_of(rows, weights);
#endif
}

// A vertex moved by the palette that starts at texel `first`.
Skinned skin_vertex(highp sampler2D texels, int first, vec3 position, vec3 normal) {
  Palette palette = Palette(first, PALETTE_STRIDE);
#if SKINNING_METHOD == 0
  return skin_linear(texels, palette, vertex_influences(), position, normal);
#elif SKINNING_METHOD == 1
  return skin_dual_quat(texels, palette, vertex_influences(), position, normal);
#elif SKINNING_METHOD == 2
  return skin_quat_trans(texels, palette, vertex_influences(), position, normal);
#elif SKINNING_METHOD == 3
  return skin_cor(texels, palette, vertex_influences(), center, position, normal);
#else
  return skin_blended(texels, palette, vertex_influences(), blend, position, normal);
#endif
}

#endif
