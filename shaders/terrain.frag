// SPDX-License-Identifier: MIT
// Terrain. Horizontal, unoccluded faces have the background's own colour, as the plane of ground.frag; other faces are
// lighter or darker by the light that reaches them: the sky as far as higher ground does not occlude it, the key light
// where it is visible, the contact shadow.
#include "color.glsl"
#include "contact.glsl"
#include "grid.glsl"
#include "light.glsl"
#include "terrain.glsl"

in vec3 ground_position;
in vec3 ground_normal;

uniform vec3 eye;
uniform vec3 to_key;
uniform vec3 center;
uniform float fade_radius;
uniform float grid_step;
uniform float ground_reach;
uniform vec3 background;  // linear light
uniform sampler2D shadow;
uniform highp sampler2DShadow key_depth;
uniform mat4 key_from_world;  // to 0 .. 1 in all three
uniform vec2 key_tap;         // from one sample of the map to the next, in its own unit
uniform float key_offset;     // world units

out vec4 color;

// The visible part of the lamp, 0 to 1: sixteen samples of a small patch of the map, for soft edges.
float key_seen(vec3 normal) {
  // A little off the surface, against self-shadowing. At grazing angles that is not enough, but the light is weak: it
  // is faded out.
  float facing = smoothstep(0.0, 0.25, dot(normal, to_key));
  vec3 at = (key_from_world * vec4(ground_position + key_offset * normal, 1.0)).xyz;
  if (any(greaterThan(abs(at - 0.5), vec3(0.5)))) return facing;
  float seen = 0.0;
  for (int i = 0; i < 16; ++i) {
    vec2 aside = vec2(i & 3, i >> 2) - 1.5;
    seen += texture(key_depth, vec3(at.xy + aside * key_tap, at.z));
  }
  return facing * seen / 16.0;
}

void main() {
  vec3 to_eye = normalize(eye - ground_position);
  vec3 normal = normalize(ground_normal);
  if (dot(normal, to_eye) < 0.0) normal = -normal;
  vec2 uv = patch_uv(ground_position.xz);
  float inside = in_patch(uv) ? 1.0 : 0.0;
  // The patch has the height of the ground above risers and walls, whose contact shadow is not theirs.
  float level = smoothstep(0.5, 0.8, normal.y);
  float under = light_under(inside * level * texture(shadow, uv).r);
  float open = 1.0 - 0.75 * inside * terrain_occlusion(ground_position, ground_reach);
  vec3 relative = light_on_ground(normal, to_key, open, key_seen(normal)) /
                  light_on_ground(vec3(0.0, 1.0, 0.0), to_key, 1.0, 1.0);

  vec2 from_center = ground_position.xz - center.xz;
  float fade = 1.0 - smoothstep(0.1, 0.7, length(from_center) / fade_radius);
  float grid = light_by_grid(ground_position.xz / grid_step, fade * smoothstep(0.90, 0.95, normal.y));
  color = vec4(linear_to_srgb(min(background * relative * grid * under, vec3(1.0))), 1.0);
}
