// SPDX-License-Identifier: MIT
// The ground: the background's own colour, so that there is no horizon, with a fine grid and the contact shadow.
#include "color.glsl"
#include "contact.glsl"
#include "grid.glsl"

in vec3 ground_position;

uniform vec3 center;
uniform float fade_radius;
uniform float grid_step;
uniform vec3 background;  // linear light
uniform sampler2D shadow;
uniform float shadow_half_width;

out vec4 color;

void main() {
  vec2 from_center = ground_position.xz - center.xz;
  float fade = 1.0 - smoothstep(0.1, 0.7, length(from_center) / fade_radius);
  float grid = light_by_grid(ground_position.xz / grid_step, fade);
  vec2 shadow_at = 0.5 + 0.5 * from_center / shadow_half_width;
  float inside = all(lessThan(abs(shadow_at - 0.5), vec2(0.5))) ? 1.0 : 0.0;
  float shade = inside * texture(shadow, shadow_at).r;
  color = vec4(linear_to_srgb(background * grid * light_under(shade)), 1.0);
}
