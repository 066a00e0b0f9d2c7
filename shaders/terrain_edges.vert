// SPDX-License-Identifier: MIT
// Lines on the edges of terrain, each with the sharpness of its edge.
in vec3 position;
in float sharpness;  // 0 to 1

uniform vec3 center;
uniform float fade_radius;
uniform mat4 clip_from_world;

out float edge_shade;

void main() {
  float fade = 1.0 - smoothstep(0.1, 0.7, length(position.xz - center.xz) / fade_radius);
  edge_shade = sharpness * fade;
  gl_Position = clip_from_world * vec4(position, 1.0);
}
