// SPDX-License-Identifier: MIT
// Plain colour, not lit.
in vec4 flat_color;

uniform float opacity;

out vec4 color;

void main() {
  color = vec4(flat_color.rgb, flat_color.a * opacity);
}
