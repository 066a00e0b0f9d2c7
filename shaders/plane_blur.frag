// SPDX-License-Identifier: MIT
// One direction of the Gaussians that soften shadows on a plane: in world units, at each pixel as large as the
// projection there. Red is the key light's shadow, 7 taps; green the contact shadow, wider, 13 taps. Both extend over
// three standard deviations to each side, or a texel where that is more.
in vec2 screen_uv;

uniform sampler2D source;
uniform vec3 nearness;    // dot with x, y, 1 of clip space: 1 / w of the plane there
uniform vec3 direction;   // x, y, w of clip space of a step of one world unit
uniform vec2 deviations;  // world units: key light, contact

out vec4 color;

float blurred(vec2 tap, int count, int channel) {
  vec2 texel = 1.0 / vec2(textureSize(source, 0));
  float spread = 3.0 / float(count);
  vec2 aside = tap * spread;
  aside *= max(1.0, 0.5 / float(count) * 3.0 / max(length(aside / texel), 1e-6));
  float sum = 0.0;
  float total = 0.0;
  for (int i = -count; i <= count; ++i) {
    float deviation = float(i) * spread;
    float weight = exp(-0.5 * deviation * deviation);
    sum += weight * textureLod(source, screen_uv + float(i) * aside, 0.0)[channel];
    total += weight;
  }
  return sum / total;
}

void main() {
  vec2 at = 2.0 * screen_uv - 1.0;
  float one_over_w = dot(nearness, vec3(at, 1.0));
  if (one_over_w <= 0.0) {  // above the horizon
    color = vec4(0.0);
    return;
  }
  vec2 unit = 0.5 * (direction.xy - at * direction.z) * one_over_w;
  color = vec4(blurred(unit * deviations.x, 3, 0), blurred(unit * deviations.y, 6, 1), 0.0, 1.0);
}
