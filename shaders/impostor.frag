// SPDX-License-Identifier: MIT
// An impostor in the picture: base colour of its cell, lit by its normal in the light of any heading.
#include "color.glsl"
#include "impostor.glsl"
#include "light.glsl"
#include "quat.glsl"

in vec3 surface_position;
in vec2 cell_at;
flat in vec3 cell_place;
flat in vec4 cell_rotation;
flat in vec3 cell_tint;

uniform vec3 eye;
uniform vec3 to_key;
uniform float ground_height;
uniform float ground_reach;
uniform sampler2D impostor_base;    // square roots of linear light; coverage
uniform sampler2D impostor_normal;  // model space, halved and moved to 0 .. 1; how much shines by itself
uniform float cell_height;  // texels
uniform float least_cover;  // a half; less where alpha becomes a share of a pixel's samples

out vec4 color;

void main() {
  ivec3 texel = impostor_texel(cell_place, cell_at, cell_height);
  vec4 base = texelFetch(impostor_base, texel.xy, texel.z);
  if (base.a < least_cover) discard;
  vec4 stored = texelFetch(impostor_normal, texel.xy, texel.z);
  vec3 normal = quat_rotate(cell_rotation, normalize(2.0 * stored.xyz - 1.0));
  vec3 to_eye = normalize(eye - surface_position);
  float open = mix(0.55, 1.0, smoothstep(0.0, 1.0, (surface_position.y - ground_height) / ground_reach));
  vec3 own = base.rgb * base.rgb;
  if (stored.a > 0.5 * (1.0 + kMostEmitted)) {
    color = vec4(linear_to_srgb(own * cell_tint), base.a);
    return;
  }
  float share = min(stored.a / kMostEmitted, 1.0);
  vec3 light = lit((1.0 - share) * own * cell_tint, normal, to_eye, to_key, open) + share * own;
  color = vec4(linear_to_srgb(soft_shoulder(light)), base.a);
}
