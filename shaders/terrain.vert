// SPDX-License-Identifier: MIT
// A mesh as ground: world positions and normals, as they are.
in vec3 position;
in vec3 normal;

uniform mat4 clip_from_world;

out vec3 ground_position;
out vec3 ground_normal;

void main() {
  ground_position = position;
  ground_normal = normal;
  gl_Position = clip_from_world * vec4(position, 1.0);
}
