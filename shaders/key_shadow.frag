// SPDX-License-Identifier: MIT
// The model flattened onto the ground along the key light: what is above the ground casts a shadow. Blended by MAX, in
// the channel next to contact_shadow.frag.
#include "coverage.glsl"

in vec3 surface_position;

uniform float ground_height;

out vec4 color;

void main() {
  leave_out();
  if (surface_position.y < ground_height) discard;
  color = vec4(1.0, 0.0, 0.0, 1.0);
}
