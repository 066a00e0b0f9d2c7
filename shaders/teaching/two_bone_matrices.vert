// SPDX-License-Identifier: MIT
// Linear blend skinning of a tube with two bones: four registers per bone.
in vec3 position;
in vec3 normal;
in vec2 weights;

uniform mat4 bones[2];  // model_from_bind

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  mat4 blended = weights.x * bones[0] + weights.y * bones[1];
  deformed_position = (blended * vec4(position, 1.0)).xyz;
  deformed_normal = normalize(mat3(blended) * normal);
}
