// SPDX-License-Identifier: MIT
// Dual quaternion skinning with two arrays of dual quaternions, multiplied at every vertex: four registers per joint.
//
// AS_PUBLISHED tests signs as the lesson does that this shader follows, and errs: between the pose's quaternions,
// though those that are blended are their products with the inverse bind, and against the first influence, whatever
// its weight. Its products also normalise what is unit already, and multiply matrices from the left.
#include "dual_quat.glsl"

in vec3 position;
in vec3 normal;
in uvec4 rows;
in vec4 weights;

uniform mat2x4 pose[JOINT_COUNT];          // model_from_joint: real, dual
uniform mat2x4 inverse_bind[JOINT_COUNT];  // joint_from_bind

out vec3 deformed_position;
out vec3 deformed_normal;

#ifdef AS_PUBLISHED
uniform mat4 model;
uniform mat4 view;
uniform mat4 projection;

mat2x4 scaled_to_unit(mat2x4 q) {
  return q * inversesqrt(dot(q[0], q[0]));
}

mat2x4 moved(int row) {
  return dual_quat_mul(scaled_to_unit(pose[row]), scaled_to_unit(inverse_bind[row]));
}

float signed_weight(int i) {
  return dot(pose[int(rows.x)][0], pose[int(rows[i])][0]) < 0.0 ? -weights[i] : weights[i];
}
#else
mat2x4 moved(int row) {
  return dual_quat_mul(pose[row], inverse_bind[row]);
}
#endif

void main() {
  mat2x4 influences[4];
  for (int i = 0; i < 4; ++i) influences[i] = moved(int(rows[i]));
  mat2x4 blended = mat2x4(0.0);
#ifdef AS_PUBLISHED
  for (int i = 0; i < 4; ++i) blended += signed_weight(i) * influences[i];
#else
  vec4 pivot = influences[0][0];  // of the largest weight, among equals the lowest row
  for (int i = 1; i < 4; ++i) {
    bool heavier = true;
    for (int k = 0; k < 4; ++k) {
      if (weights[k] > weights[i] || (weights[k] == weights[i] && rows[k] < rows[i])) heavier = false;
    }
    if (heavier) pivot = influences[i][0];
  }
  for (int i = 0; i < 4; ++i) {
    blended += (dot(influences[i][0], pivot) < 0.0 ? -weights[i] : weights[i]) * influences[i];
  }
#endif
  mat2x4 unit = blended * inversesqrt(dot(blended[0], blended[0]));
  deformed_position = dual_quat_transform_point(unit, position);
  deformed_normal = quat_rotate(unit[0], normal);
#ifdef AS_PUBLISHED
  vec4 moved = vec4(deformed_position, 1.0);
  gl_Position = projection * view * model * moved;
  deformed_position = vec3(model * moved);
  deformed_normal = vec3(model * vec4(deformed_normal, 0.0));
#endif
}
