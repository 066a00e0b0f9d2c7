// SPDX-License-Identifier: MIT
// A line on an edge of the ground: the ink of the grid, a little stronger. Blended over what is there.
#include "color.glsl"

in float edge_shade;

uniform vec3 background;  // linear light

out vec4 color;

void main() {
  color = vec4(linear_to_srgb(0.35 * background), 0.55 * edge_shade);
}
