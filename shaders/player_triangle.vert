// SPDX-License-Identifier: MIT
// Triangles of plain colour.
in vec3 tail;  // world
in vec4 tint;  // sRGB

uniform mat4 clip_from_world;

out vec4 flat_color;

void main() {
  flat_color = tint;
  gl_Position = clip_from_world * vec4(tail, 1.0);
}
