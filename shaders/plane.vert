// SPDX-License-Identifier: MIT
// A square on the ground, around `center`.
uniform vec3 center;
uniform float half_width;
uniform mat4 clip_from_world;

out vec3 ground_position;
out vec3 ground_normal;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  ground_position = center + half_width * vec3(corner.x, 0.0, corner.y);
  ground_normal = vec3(0.0, 1.0, 0.0);
  gl_Position = clip_from_world * vec4(ground_position, 1.0);
}
