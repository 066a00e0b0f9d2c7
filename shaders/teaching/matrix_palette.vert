// SPDX-License-Identifier: MIT
// Linear blend skinning as it is usually taught: two arrays of matrices, multiplied at every vertex. Eight registers
// per joint, and four products of matrices per vertex that are the same for all vertices.
in vec3 position;
in vec3 normal;
in uvec4 rows;
in vec4 weights;

uniform mat4 pose[JOINT_COUNT];          // model_from_joint
uniform mat4 inverse_bind[JOINT_COUNT];  // joint_from_bind

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  mat4 blended = mat4(0.0);
  for (int i = 0; i < 4; ++i) {
    int row = int(rows[i]);
    blended += weights[i] * (pose[row] * inverse_bind[row]);
  }
  deformed_position = (blended * vec4(position, 1.0)).xyz;
  deformed_normal = normalize(mat3(blended) * normal);
}
