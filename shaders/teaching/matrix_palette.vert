// SPDX-License-Identifier: MIT
// Linear blend skinning as it is usually taught: two arrays of matrices, multiplied at every vertex. Eight registers
// per joint, and four products of matrices per vertex that are the same for all vertices.
//
// AS_PUBLISHED also goes on to the picture as the lesson does: its products are taken from the left, so matrices are
// multiplied where vectors would do.
in vec3 position;
in vec3 normal;
in uvec4 rows;
in vec4 weights;

uniform mat4 pose[JOINT_COUNT];          // model_from_joint
uniform mat4 inverse_bind[JOINT_COUNT];  // joint_from_bind

#ifdef AS_PUBLISHED
uniform mat4 model;
uniform mat4 view;
uniform mat4 projection;
#endif

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  mat4 blended = mat4(0.0);
  for (int i = 0; i < 4; ++i) {
    int row = int(rows[i]);
    blended += weights[i] * (pose[row] * inverse_bind[row]);
  }
#ifdef AS_PUBLISHED
  gl_Position = projection * view * model * blended * vec4(position, 1.0);
  deformed_position = vec3(model * blended * vec4(position, 1.0));
  deformed_normal = vec3(model * blended * vec4(normal, 0.0));
#else
  deformed_position = (blended * vec4(position, 1.0)).xyz;
  deformed_normal = normalize(mat3(blended) * normal);
#endif
}
