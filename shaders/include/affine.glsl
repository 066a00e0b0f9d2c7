// SPDX-License-Identifier: MIT
// Affine maps as mat3x4 whose three columns are the rows of the 3x4 matrix, as textures hold them.
#ifndef LISSOM_AFFINE
#define LISSOM_AFFINE

vec3 affine_point(mat3x4 map, vec3 p) {
  return vec4(p, 1.0) * map;
}

vec3 affine_vector(mat3x4 map, vec3 v) {
  return vec4(v, 0.0) * map;
}

// The map of p to linear * p + translation.
mat3x4 affine_from_parts(mat3 linear, vec3 translation) {
  mat3 rows = transpose(linear);
  return mat3x4(vec4(rows[0], translation.x), vec4(rows[1], translation.y), vec4(rows[2], translation.z));
}

// First b, then a.
mat3x4 affine_mul(mat3x4 a, mat3x4 b) {
  mat3x4 result;
  for (int i = 0; i < 3; ++i) {
    result[i] = a[i].x * b[0] + a[i].y * b[1] + a[i].z * b[2] + vec4(0.0, 0.0, 0.0, a[i].w);
  }
  return result;
}

// A normal moved by the cofactor of the linear part S, det(S) S^-T: no division, so S may be singular. Not
// normalised. A result below 1e-6 of |S|^2 is rounding alone: the normal is then unchanged.
vec3 affine_normal(mat3x4 map, vec3 normal) {
  vec3 x = map[0].xyz;
  vec3 y = map[1].xyz;
  vec3 z = map[2].xyz;
  vec3 moved = normal * mat3(cross(y, z), cross(z, x), cross(x, y));
  float square = dot(x, x) + dot(y, y) + dot(z, z);
  return length(moved) > 1e-6 * square * length(normal) ? moved : normal;
}

#endif
