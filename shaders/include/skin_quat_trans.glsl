// SPDX-License-Identifier: MIT
// Skinning by a palette of quaternions and translations: two registers or texels per joint instead of three or four.
// Matrices are rebuilt and blended linearly: the result is that of linear skinning.
#ifndef LISSOM_SKIN_QUAT_TRANS
#define LISSOM_SKIN_QUAT_TRANS

#include "quat_trans.glsl"
#include "skinning.glsl"

// Rows of 5 texels have a scale after the rigid motion, which is applied first.
Skinned skin_scaled_quat_trans(highp sampler2D texels, Palette palette, Influences influences, vec3 position,
                               vec3 normal) {
  mat3x4 blended = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    mat3x4 rigid = quat_trans_to_rows(palette_pair(texels, palette, influences.rows[i], 0));
    blended += weight * affine_mul(rigid, palette_affine(texels, palette, influences.rows[i], 2));
  }
  return skin_by_affine(blended, position, normal);
}

Skinned skin_quat_trans(highp sampler2D texels, Palette palette, Influences influences, vec3 position, vec3 normal) {
  if (palette.stride == 5) return skin_scaled_quat_trans(texels, palette, influences, position, normal);
  QuatTransSum sum = quat_trans_nothing();
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    sum = quat_trans_plus(sum, weight, palette_pair(texels, palette, influences.rows[i], 0));
  }
  return skin_by_affine(quat_trans_sum_to_rows(sum), position, normal);
}

#endif
