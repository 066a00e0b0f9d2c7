// SPDX-License-Identifier: MIT
// Dual quaternion skinning of a tube with two bones: two registers per bone, half of what matrices take. The blend is
// made a matrix again, so that all after it stays as it was.
#include "affine.glsl"
#include "dual_quat.glsl"

in vec3 position;
in vec3 normal;
in vec2 weights;

uniform vec4 bones[4];  // model_from_bind: real and dual part of each

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  float second = weights.y;
#ifndef AS_PUBLISHED  // without a test of signs, which fails where bones lie more than half a turn apart
  // q and -q are the same motion; of two it does not matter which one turns.
  if (dot(bones[0], bones[2]) < 0.0) second = -second;
#endif
  vec4 real = weights.x * bones[0] + second * bones[2];
  vec4 dual = weights.x * bones[1] + second * bones[3];
  float scale = inversesqrt(dot(real, real));
  mat3x4 rows = dual_quat_to_rows(mat2x4(scale * real, scale * dual));
  deformed_position = affine_point(rows, position);
  deformed_normal = normalize(affine_vector(rows, normal));
}
