// SPDX-License-Identifier: MIT
// The model seen from below: dark where it touches the ground, less where it is above it, 0 from `ground_reach`
// upwards. Blended by MAX, in the channel next to key_shadow.frag.
#include "contact.glsl"
#include "coverage.glsl"

in vec3 surface_position;

uniform float ground_height;
uniform float ground_reach;

out vec4 color;

void main() {
  leave_out();
  color = vec4(0.0, contact_shade((surface_position.y - ground_height) / ground_reach), 0.0, 1.0);
}
