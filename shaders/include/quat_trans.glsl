// SPDX-License-Identifier: MIT
// Quaternion + translation palettes: rigid motions as mat2x4, [0] a unit quaternion x, y, z, w, [1] the translation and
// 0.
#ifndef LISSOM_QUAT_TRANS
#define LISSOM_QUAT_TRANS

#include "affine.glsl"
#include "quat.glsl"

// The 3x4 matrix of a rigid motion, its rows as columns of the result (affine.glsl).
mat3x4 quat_trans_to_rows(mat2x4 motion) {
  return affine_from_parts(quat_to_matrix(motion[0]), motion[1].xyz);
}

// A weighted sum of the matrices of rigid motions, stored as the terms that these are linear in: with w the weights,
// the sums of
// 2 w x^2, y^2, z^2; of 2 w xy, xz, yz; of 2 w (x, y, z) times the quaternion's w; of w t. That is half the work of
// rebuilding every matrix before the sum.
struct QuatTransSum {
  float weight;
  vec3 squares;
  vec3 products;
  vec3 with_w;
  vec3 translation;
};

QuatTransSum quat_trans_nothing() {
  return QuatTransSum(0.0, vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
}

QuatTransSum quat_trans_plus(QuatTransSum sum, float weight, mat2x4 motion) {
  vec4 q = motion[0];
  vec4 d = (weight + weight) * q;
  return QuatTransSum(sum.weight + weight, sum.squares + d.xyz * q.xyz, sum.products + d.xxy * q.yzz,
                      sum.with_w + d.www * q.xyz, sum.translation + weight * motion[1].xyz);
}

// The rows of the sum of matrices.
mat3x4 quat_trans_sum_to_rows(QuatTransSum sum) {
  vec3 s = sum.weight - sum.squares.yxx - sum.squares.zzy;
  vec3 m = sum.products;
  vec3 w = sum.with_w;
  vec3 t = sum.translation;
  return mat3x4(vec4(s.x, m.x - w.z, m.y + w.y, t.x), vec4(m.x + w.z, s.y, m.z - w.x, t.y),
                vec4(m.y - w.y, m.z + w.x, s.z, t.z));
}

#endif
