// SPDX-License-Identifier: MIT
// Linear blend skinning from a quaternion and a translation per joint: two registers, out of which the matrix is
// rebuilt at every vertex. 128 registers less 4 for the camera hold 62 joints instead of 31.
#include "affine.glsl"
#include "quat_trans.glsl"

in vec3 position;
in vec3 normal;
in uvec4 rows;
in vec4 weights;

uniform vec4 pose[2 * JOINT_COUNT];  // model_from_bind: the quaternion, the translation and 0

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  mat3x4 blended = mat3x4(0.0);
  for (int i = 0; i < 4; ++i) {
    int first = 2 * int(rows[i]);
    blended += weights[i] * quat_trans_to_rows(mat2x4(pose[first], pose[first + 1]));
  }
  deformed_position = affine_point(blended, position);
  deformed_normal = normalize(affine_vector(blended, normal));
}
