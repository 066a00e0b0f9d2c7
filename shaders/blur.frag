// SPDX-License-Identifier: MIT
// One direction of a Gaussian blur, 17 taps over three standard deviations to each side.
in vec2 screen_uv;

uniform sampler2D source;
uniform vec2 tap;  // from one tap to the next, in uv

out vec4 color;

void main() {
  float sum = 0.0;
  float total = 0.0;
  for (int i = -8; i <= 8; ++i) {
    float deviations = float(i) * 3.0 / 8.0;
    float weight = exp(-0.5 * deviations * deviations);
    sum += weight * texture(source, screen_uv + float(i) * tap).r;
    total += weight;
  }
  color = vec4(sum / total, 0.0, 0.0, 1.0);
}
