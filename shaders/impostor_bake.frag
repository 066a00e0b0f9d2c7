// SPDX-License-Identifier: MIT
// A cell of an impostor atlas, a character from one side: colour and normal, without light, and beside the normal how much
// of the colour shines by itself, see impostor.glsl. Both targets begin at zero: with the coverage in the colour's alpha,
// sums over pixels are premultiplied by it.
#include "coverage.glsl"
#include "impostor.glsl"

in vec3 surface_position;
in vec3 surface_normal;
in vec3 surface_color;

uniform vec3 to_eye;  // unit, the same everywhere
#ifdef SELF_LIT
uniform bool unlit;
uniform vec3 emissive;
uniform bool emissive_textured;
uniform sampler2D emissive_map;  // sRGB, decoded by the fetch
#endif

layout(location = 0) out vec4 base;
layout(location = 1) out vec4 normal;

void main() {
  vec4 texel = base_texel();
  coverage(texel.a);
  base = vec4(surface_color * texel.rgb, 1.0);
  vec3 face = cross(dFdx(surface_position), dFdy(surface_position));
  if (dot(face, to_eye) < 0.0) face = -face;
  vec3 unit = normalize(dot(surface_normal, surface_normal) > 0.0 ? surface_normal : face);
  float shining = 0.0;
#ifdef SELF_LIT
  vec3 emitted = emissive;
#ifndef WITHOUT_TEXTURE
  if (emissive_textured) emitted *= texture(emissive_map, surface_uv).rgb;
#endif
  float share = dot(emitted, vec3(1.0)) / max(dot(base.rgb + emitted, vec3(1.0)), 1e-6);
  base.rgb = min(base.rgb + emitted, vec3(1.0));
  shining = unlit ? 1.0 : kMostEmitted * share;
#endif
  normal = vec4(dot(unit, face) < 0.0 ? -unit : unit, shining);
}
