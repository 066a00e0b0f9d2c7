// SPDX-License-Identifier: MIT
// Linear and dual quaternion skinning of one vertex. Weights are >= 0 and sum to 1; an unused influence has weight 0.
// INFLUENCE_COUNT is 1 to 8 (4 unless set before the include), INFLUENCES_SORTED: the heaviest first.
#ifndef LISSOM_SKINNING
#define LISSOM_SKINNING

#include "affine.glsl"
#include "dual_quat.glsl"
#include "palette.glsl"

#ifndef INFLUENCE_COUNT
#define INFLUENCE_COUNT 4
#endif

struct Influences {
  int rows[INFLUENCE_COUNT];
  float weights[INFLUENCE_COUNT];
};

struct Skinned {
  vec3 position;
  vec3 normal;  // unit, or zero where it has no direction
};

#if INFLUENCE_COUNT > 4
Influences influences_of(uvec4 rows_a, vec4 weights_a, uvec4 rows_b, vec4 weights_b) {
  Influences result;
  for (int i = 0; i < 4; ++i) {
    result.rows[i] = int(rows_a[i]);
    result.weights[i] = weights_a[i];
  }
  for (int i = 4; i < INFLUENCE_COUNT; ++i) {
    result.rows[i] = int(rows_b[i - 4]);
    result.weights[i] = weights_b[i - 4];
  }
  return result;
}
#else
Influences influences_of(uvec4 rows, vec4 weights) {
  Influences result;
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    result.rows[i] = int(rows[i]);
    result.weights[i] = weights[i];
  }
  return result;
}
#endif

// The palette row whose sign the others follow: that of the largest weight, among equals the lowest row. A vertex names
// a row once.
int pivot_row(Influences influences) {
  int row = influences.rows[0];
#ifdef INFLUENCES_SORTED
  return row;
#endif
  float largest = influences.weights[0];
  for (int i = 1; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight > largest || (weight == largest && influences.rows[i] < row)) {
      row = influences.rows[i];
      largest = weight;
    }
  }
  return row;
}

// The weight of q or of -q, whichever is nearer to the pivot: both are the same rotation, but only one blends on the
// shorter arc.
float signed_weight(float weight, vec4 q, vec4 pivot) {
  return dot(q, pivot) < 0.0 ? -weight : weight;
}

vec3 unit_or_zero(vec3 v) {
  float square = dot(v, v);
  return square > 0.0 ? v * inversesqrt(square) : vec3(0.0);
}

// v rotated by a quaternion of any length but zero; twice_inverse_square is 2 / dot(q, q).
vec3 rotated_by(vec4 q, float twice_inverse_square, vec3 v) {
  return v + twice_inverse_square * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// The vertex moved by a blend of matrices, the normal by its 3x3.
Skinned skin_by_affine(mat3x4 blended, vec3 position, vec3 normal) {
  return Skinned(affine_point(blended, position), unit_or_zero(affine_vector(blended, normal)));
}

// The vertex moved by a signed blend of dual quaternions, not normalised: with r and d the two parts of b, rotation
// and translation of b / |r| share their outer products, without a square root.
//   v' = v + 2 / |r|^2 (r x (r x v + r_w v + d) + r_w d - d_w r)
Skinned skin_by_dual_quat(mat2x4 blended, vec3 position, vec3 normal) {
  vec4 r = blended[0];
  vec4 d = blended[1];
  float s = 2.0 / dot(r, r);
  vec3 inner = cross(r.xyz, position) + r.w * position + d.xyz;
  return Skinned(position + s * (cross(r.xyz, inner) + r.w * d.xyz - d.w * r.xyz),
                 unit_or_zero(rotated_by(r, s, normal)));
}

// The same after the blended scale: a joint scales about its own bind position, before it rotates.
Skinned skin_by_scaled_dual_quat(mat2x4 blended, mat3x4 scale, vec3 position, vec3 normal) {
  return skin_by_dual_quat(blended, affine_point(scale, position), affine_normal(scale, normal));
}

Skinned skin_linear(highp sampler2D texels, Palette palette, Influences influences, vec3 position, vec3 normal) {
  mat3x4 blended = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    if (influences.weights[i] == 0.0) continue;
    blended += influences.weights[i] * palette_affine(texels, palette, influences.rows[i], 0);
  }
  return skin_by_affine(blended, position, normal);
}

// Kavan et al. 2008 (ACM TOG 27(4) art. 105), every dual quaternion signed against the pivot's. Rows of 5 texels have
// a scale after the dual quaternion.
Skinned skin_dual_quat(highp sampler2D texels, Palette palette, Influences influences, vec3 position, vec3 normal) {
  bool scaled = palette.stride == 5;
  vec4 pivot = palette_dual_quat(texels, palette, pivot_row(influences))[0];
  mat2x4 blended = mat2x4(0.0);
  mat3x4 scale = mat3x4(0.0);
  for (int i = 0; i < INFLUENCE_COUNT; ++i) {
    float weight = influences.weights[i];
    if (weight == 0.0) continue;
    mat2x4 moved = palette_dual_quat(texels, palette, influences.rows[i]);
    blended += signed_weight(weight, moved[0], pivot) * moved;
    if (scaled) scale += weight * palette_affine(texels, palette, influences.rows[i], 2);
  }
  if (scaled) return skin_by_scaled_dual_quat(blended, scale, position, normal);
  return skin_by_dual_quat(blended, position, normal);
}

#endif
