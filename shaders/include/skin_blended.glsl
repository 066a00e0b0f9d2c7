// SPDX-License-Identifier: MIT
// Skinning between linear (blend 0) and dual quaternion (blend 1), one number per vertex. Palette rows are 5 texels,
// the rows of the 3x4 model_from_bind and the dual quaternion, or 8, with the scale after them.
#ifndef LISSOM_SKIN_BLENDED
#define LISSOM_SKIN_BLENDED

#include "skinning.glsl"

// Positions are blended, unit normals are blended and normalised.
Skinned skin_blended(highp sampler2D texels, Palette palette, Influences influences, float blend, vec3 position,
                     vec3 normal) {
  bool scaled = palette.stride == 8;
  vec4 pivot = palette_pair(texels, palette, pivot_row(influences), 3)[0];
  mat3x4 straight = mat3x4(0.0);
  mat2x4 blended = mat2x4(0.0);
  mat3x4 scale = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    int row = influences.rows[i];
    straight += weight * palette_affine(texels, palette, row, 0);
    mat2x4 moved = palette_pair(texels, palette, row, 3);
    blended += signed_weight(weight, moved[0], pivot) * moved;
    if (scaled) scale += weight * palette_affine(texels, palette, row, 5);
  }
  Skinned linear = skin_by_affine(straight, position, normal);
  if (blend == 0.0) return linear;  // also where opposite rotations leave no dual quaternion
  Skinned rigid = skin_by_dual_quat(blended, position, normal);
  if (scaled) rigid = skin_by_scaled_dual_quat(blended, scale, position, normal);  // WebGL picks no structures by ?:
  return Skinned(mix(linear.position, rigid.position, blend),
                 unit_or_zero(mix(linear.normal, rigid.normal, blend)));
}

#endif
