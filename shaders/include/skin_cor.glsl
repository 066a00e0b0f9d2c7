// SPDX-License-Identifier: MIT
// Skinning with optimised centres of rotation: Le and Hodgins 2016 (ACM TOG 35(4) art. 37). A vertex is rotated by the
// mean rotation about a centre of its own, computed beforehand, which is moved by the blend of matrices. Palette rows
// are those of skin_quat_trans.glsl.
#ifndef LISSOM_SKIN_COR
#define LISSOM_SKIN_COR

#include "quat_trans.glsl"
#include "skinning.glsl"

// v' = rotate(q, v - c) + c': q the normalised sum of the quaternions, signed against the pivot's, c' the blend of the
// rigid motions applied to c. Rows of 5 texels have a scale, whose blend moves v and c first.
Skinned skin_cor(highp sampler2D texels, Palette palette, Influences influences, vec3 center, vec3 position,
                 vec3 normal) {
  bool scaled = palette.stride == 5;
  vec4 pivot = palette_pair(texels, palette, pivot_row(influences), 0)[0];
  vec4 rotation = vec4(0.0);
  QuatTransSum sum = quat_trans_nothing();
  mat3x4 scale = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    mat2x4 motion = palette_pair(texels, palette, influences.rows[i], 0);
    rotation += signed_weight(weight, motion[0], pivot) * motion[0];
    sum = quat_trans_plus(sum, weight, motion);
    if (scaled) scale += weight * palette_affine(texels, palette, influences.rows[i], 2);
  }
  if (scaled) {
    center = affine_point(scale, center);
    position = affine_point(scale, position);
    normal = affine_normal(scale, normal);
  }
  float s = 2.0 / dot(rotation, rotation);
  vec3 moved_center = affine_point(quat_trans_sum_to_rows(sum), center);
  return Skinned(rotated_by(rotation, s, position - center) + moved_center,
                 unit_or_zero(rotated_by(rotation, s, normal)));
}

#endif
