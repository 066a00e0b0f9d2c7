// SPDX-License-Identifier: MIT
// Skinning by a palette of quaternions and translations: two registers or texels per joint instead of three or four.
// Matrices are rebuilt and blended linearly, so a rigid palette gives what linear skinning gives.
#ifndef LISSOM_SKIN_QUAT_TRANS
#define LISSOM_SKIN_QUAT_TRANS

#include "quat_trans.glsl"
#include "skinning.glsl"

// Rows of 5 texels carry a scale behind the rigid motion; its blend acts first.
Skinned skin_quat_trans(highp sampler2D texels, Palette palette, Influences influences, vec3 position, vec3 normal) {
  bool scaled = palette.stride == 5;
  QuatTransSum sum = quat_trans_nothing();
  mat3x4 scale = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    sum = quat_trans_plus(sum, weight, palette_pair(texels, palette, influences.rows[i], 0));
    if (scaled) scale += weight * palette_affine(texels, palette, influences.rows[i], 2);
  }
  mat3x4 blended = quat_trans_sum_to_rows(sum);
  if (scaled) return skin_by_affine(blended, affine_point(scale, position), affine_normal(scale, normal));
  return skin_by_affine(blended, position, normal);
}

#endif
