// SPDX-License-Identifier: MIT
// The ground: the background's own colour, so that there is no horizon, with a fine grid and the
// key light's shadow and the contact shadow.
#include "color.glsl"
#include "contact.glsl"
#include "grid.glsl"
#include "light.glsl"

in vec3 ground_position;

uniform vec3 center;
uniform float fade_radius;
uniform float grid_step;
uniform vec3 to_key;
uniform vec3 background;  // linear light
uniform sampler2D shadow;   // of a part of the picture: of the key light, of contact
uniform vec2 shadow_low;    // pixel of its lower left corner
uniform vec2 shadow_size;   // pixels

out vec4 color;

void main() {
  vec2 from_center = ground_position.xz - center.xz;
  float fade = 1.0 - smoothstep(0.1, 0.7, length(from_center) / fade_radius);
  float grid = light_by_grid(ground_position.xz / grid_step, fade);
  vec2 shadow_at = (gl_FragCoord.xy - shadow_low) / shadow_size;
  float inside = all(lessThan(abs(shadow_at - 0.5), vec2(0.5))) ? 1.0 : 0.0;
  vec2 shade = inside * texture(shadow, shadow_at).rg;
  vec3 up = vec3(0.0, 1.0, 0.0);
  vec3 relative = light_on_ground(up, to_key, 1.0, 1.0 - shade.r) / light_on_ground(up, to_key, 1.0, 1.0);
  color = vec4(linear_to_srgb(background * grid * relative * light_under(shade.g)), 1.0);
}
