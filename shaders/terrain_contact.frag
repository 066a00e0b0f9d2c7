// SPDX-License-Identifier: MIT
// The model seen from below, over terrain: dark where it touches the ground under it, less where it is above it, 0
// where it is buried. Blended by MAX.
#include "contact.glsl"
#include "coverage.glsl"
#include "terrain.glsl"

in vec3 surface_position;

uniform float ground_reach;

out vec4 color;

void main() {
  leave_out();
  float height = (surface_position.y - terrain_height(surface_position.xz)) / ground_reach;
  color = vec4(contact_shade(height) * smoothstep(-0.3, -0.15, height), 0.0, 0.0, 1.0);
}
