// SPDX-License-Identifier: MIT
// Quaternions x, y, z, w. Products compose right to left: quat_mul(a, b) rotates by b, then by a.
#ifndef LISSOM_QUAT
#define LISSOM_QUAT

vec4 quat_mul(vec4 a, vec4 b) {
  return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec4 quat_conjugate(vec4 q) {
  return vec4(-q.xyz, q.w);
}

// v rotated by the unit quaternion: v + 2 u x (u x v + w v), u the vector part (18 products instead of 32).
vec3 quat_rotate(vec4 unit_q, vec3 v) {
  return v + 2.0 * cross(unit_q.xyz, cross(unit_q.xyz, v) + unit_q.w * v);
}

// The rotation matrix of a unit quaternion, columns as GLSL has them: quat_to_matrix(q) * v == quat_rotate(q, v).
mat3 quat_to_matrix(vec4 unit_q) {
  vec3 d = unit_q.xyz + unit_q.xyz;
  vec3 squares = unit_q.xyz * d;           // 2xx 2yy 2zz
  vec3 products = unit_q.xxy * d.yzz;      // 2xy 2xz 2yz
  vec3 with_w = unit_q.www * d;            // 2wx 2wy 2wz
  return mat3(1.0 - squares.y - squares.z, products.x + with_w.z, products.y - with_w.y,
              products.x - with_w.z, 1.0 - squares.x - squares.z, products.z + with_w.x,
              products.y + with_w.y, products.z - with_w.x, 1.0 - squares.x - squares.y);
}

#endif
