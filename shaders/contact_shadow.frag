// SPDX-License-Identifier: MIT
// The model seen from below: dark where it touches the ground, a little where it hangs over it, nothing from
// `ground_reach` upwards. Blended by MAX.
in vec3 surface_position;

uniform float ground_height;
uniform float ground_reach;

out vec4 color;

void main() {
  float height = (surface_position.y - ground_height) / ground_reach;
  float over = clamp(1.0 - height, 0.0, 1.0);
  float touch = clamp(1.0 - 5.0 * height, 0.0, 1.0);
  color = vec4(0.4 * over + 0.6 * touch * touch, 0.0, 0.0, 1.0);
}
