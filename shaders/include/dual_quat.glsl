// SPDX-License-Identifier: MIT
// Dual quaternions as mat2x4: [0] the real part x, y, z, w, [1] the dual part, dual = 0.5 * t * real.
// q and -q are the same transform. Products compose right to left, as matrices do.
#ifndef LISSOM_DUAL_QUAT
#define LISSOM_DUAL_QUAT

#include "affine.glsl"
#include "quat.glsl"

// Of a rotation of another length than 1, a dual quaternion of that length.
mat2x4 dual_quat_from_parts(vec4 rotation, vec3 translation) {
  return mat2x4(rotation, 0.5 * quat_mul(vec4(translation, 0.0), rotation));
}

mat2x4 dual_quat_mul(mat2x4 a, mat2x4 b) {
  return mat2x4(quat_mul(a[0], b[0]), quat_mul(a[0], b[1]) + quat_mul(a[1], b[0]));
}

// The inverse of a unit dual quaternion: both parts conjugated.
mat2x4 dual_quat_conjugate(mat2x4 q) {
  return mat2x4(quat_conjugate(q[0]), quat_conjugate(q[1]));
}

// Unit real part, and a dual part perpendicular to it. A blend of unit dual quaternions has neither.
mat2x4 dual_quat_normalize(mat2x4 q) {
  float scale = inversesqrt(dot(q[0], q[0]));
  vec4 real = q[0] * scale;
  vec4 dual = q[1] * scale;
  return mat2x4(real, dual - dot(real, dual) * real);
}

// t of dual = 0.5 * t * real: the vector part of 2 * dual * conjugate(real), which needs no projected dual part.
vec3 dual_quat_translation(mat2x4 unit_q) {
  vec4 r = unit_q[0];
  vec4 d = unit_q[1];
  return 2.0 * (r.w * d.xyz - d.w * r.xyz + cross(r.xyz, d.xyz));
}

vec3 dual_quat_transform_point(mat2x4 unit_q, vec3 p) {
  return quat_rotate(unit_q[0], p) + dual_quat_translation(unit_q);
}

// From a at t = 0 to b at t = 1, linearly on the shorter arc, not normalised: blends need the plain sum.
mat2x4 dual_quat_mix(mat2x4 a, mat2x4 b, float t) {
  float towards = dot(a[0], b[0]) < 0.0 ? -t : t;
  return (1.0 - t) * a + towards * b;
}

// The 3x4 matrix of a unit dual quaternion, its rows as columns of the result: vec4(p, 1) * rows moves p.
mat3x4 dual_quat_to_rows(mat2x4 unit_q) {
  return affine_from_parts(quat_to_matrix(unit_q[0]), dual_quat_translation(unit_q));
}

#endif
