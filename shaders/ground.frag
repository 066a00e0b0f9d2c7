// SPDX-License-Identifier: MIT
// The ground: the background's own colour, so that there is no horizon, with a fine grid and the contact shadow.
#include "color.glsl"

in vec3 ground_position;

uniform vec3 center;
uniform float fade_radius;
uniform float grid_step;
uniform vec3 background;  // linear light
uniform sampler2D shadow;
uniform float shadow_half_width;

out vec4 color;

// How much of this pixel a grid of lines one pixel wide covers, 0 to 1, fading where lines come too close.
float grid_cover(vec2 at, float line_pixels) {
  vec2 width = max(fwidth(at), vec2(1e-6));
  vec2 away = abs(fract(at - 0.5) - 0.5) / width;
  vec2 cover = clamp(line_pixels * 0.5 + 0.5 - away, 0.0, 1.0) * clamp(1.5 - 3.0 * width, 0.0, 1.0);
  return max(cover.x, cover.y);
}

void main() {
  vec2 from_center = ground_position.xz - center.xz;
  float fade = 1.0 - smoothstep(0.1, 0.7, length(from_center) / fade_radius);
  vec2 at = ground_position.xz / grid_step;
  float grid = max(0.5 * grid_cover(at, 1.0), grid_cover(at / 5.0, 1.3));
  vec2 shadow_at = 0.5 + 0.5 * from_center / shadow_half_width;
  float inside = all(lessThan(abs(shadow_at - 0.5), vec2(0.5))) ? 1.0 : 0.0;
  float shade = inside * texture(shadow, shadow_at).r;
  shade *= 2.0 - shade;  // blurred feet are small and would be pale
  vec3 light = background * (1.0 - 0.14 * grid * fade) * (1.0 - 0.68 * shade);
  color = vec4(linear_to_srgb(light), 1.0);
}
