// SPDX-License-Identifier: MIT
// The surface of models and crowds: base colour or heat map, lit, encoded. WITHOUT_TEXTURE and WITHOUT_HEAT omit what
// is not needed: software, and hardware without branches, would compute it anyway. SELF_LIT adds parts that are drawn
// without light, or emit some; COVERED, those of which alpha leaves something out or lets something through.
#include "color.glsl"
#include "coverage.glsl"
#include "light.glsl"

in vec3 surface_position;
in vec3 surface_normal;
in vec3 surface_color;
#ifndef WITHOUT_HEAT
in float surface_heat;
#endif

uniform vec3 eye;
uniform vec3 to_key;
uniform float ground_height;
uniform float ground_reach;  // height above the ground from which on there is no contact shadow
uniform bool heated;
uniform highp sampler2D heat_map;
uniform int heat_map_count;
#ifdef SELF_LIT
uniform bool unlit;
uniform vec3 emissive;
uniform bool emissive_textured;
uniform sampler2D emissive_map;  // sRGB, decoded by the fetch
#endif

out vec4 color;

void main() {
  vec4 texel = base_texel();
  float cover = coverage(texel.a);
  vec3 base = surface_color * texel.rgb;
#ifndef WITHOUT_HEAT
  if (heated) base = color_map(heat_map, heat_map_count, surface_heat);
#endif

  vec3 to_eye = normalize(eye - surface_position);
  // Single-sided meshes are visible from behind, too. The plane of the face defines the visible side, whatever its
  // winding.
  vec3 face = cross(dFdx(surface_position), dFdy(surface_position));
  if (dot(face, to_eye) < 0.0) face = -face;
  // A vertex may have no normal: files store zeros, and some triangles have no area.
  vec3 normal = normalize(dot(surface_normal, surface_normal) > 0.0 ? surface_normal : face);
  if (dot(normal, face) < 0.0) normal = -normal;

  float open = mix(0.55, 1.0, smoothstep(0.0, 1.0, (surface_position.y - ground_height) / ground_reach));
#ifdef WITHOUT_HEAT
  vec3 light = lit(base, normal, to_eye, to_key, open);
#else
  vec3 light = heated ? base * (0.55 + 0.45 * lit(vec3(0.75), normal, to_eye, to_key, open))
                      : lit(base, normal, to_eye, to_key, open);
#endif
#ifdef SELF_LIT
  vec3 emitted = emissive;
#ifndef WITHOUT_TEXTURE
  if (emissive_textured) emitted *= texture(emissive_map, surface_uv).rgb;
#endif
  if (!heated) light += emitted;
  if (unlit && !heated) {
    color = vec4(linear_to_srgb(base), cover);
    return;
  }
#endif
  color = vec4(linear_to_srgb(soft_shoulder(light)), cover);
}
