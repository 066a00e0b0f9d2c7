// SPDX-License-Identifier: MIT
// One direction of a blur of TAPS texels to each side. They are fetched as they are: filtering takes three times as
// long in software.
#ifndef TAPS
#define TAPS 4
#endif
in vec2 screen_uv;

uniform sampler2D source;          // of nearest texels
uniform vec2 tap;                  // from one tap to the next, in uv: whole texels
uniform float weights[TAPS + 1];   // from the middle outwards; with both sides they sum to 1

out vec4 color;

void main() {
  float sum = weights[0] * texture(source, screen_uv).r;
  for (int i = 1; i <= TAPS; ++i) {
    vec2 aside = float(i) * tap;
    sum += weights[i] * (texture(source, screen_uv - aside).r + texture(source, screen_uv + aside).r);
  }
  color = vec4(sum, 0.0, 0.0, 1.0);
}
