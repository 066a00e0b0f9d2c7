// SPDX-License-Identifier: MIT
// One skinned mesh. Every method takes the same vertices.
#include "color.glsl"
#include "influences.glsl"
#include "morphed_vertex.glsl"

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 base_color;  // sRGB
in float heat;
#ifdef COVERED
in float alpha;
#endif

uniform highp sampler2D palette;
uniform mat4 world_from_model;
uniform mat4 clip_from_world;

#ifdef SEAMED
invariant gl_Position;  // two programs draw one mesh: decals stay on what they are on
#endif
out vec3 surface_position;  // world
out vec3 surface_normal;    // world
out vec2 surface_uv;
out vec3 surface_color;     // linear light
out float surface_heat;
#ifdef COVERED
out float surface_alpha;
#endif

void main() {
  Morphed shape = morphed_vertex(0, position, normal);
  Skinned skinned = skin_vertex(palette, 0, shape.position, shape.normal);
  vec4 world = world_from_model * vec4(skinned.position, 1.0);
  surface_position = world.xyz;
  surface_normal = mat3(world_from_model) * skinned.normal;
  surface_uv = uv;
  surface_color = srgb_to_linear(base_color.rgb);
  surface_heat = heat;
#ifdef COVERED
  surface_alpha = alpha;
#endif
  gl_Position = clip_from_world * world;
}
