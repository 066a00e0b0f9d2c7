// SPDX-License-Identifier: MIT
// An impostor as a shadow caster: the square's covered part, above the ground. As key_shadow.frag, and for depth.
#include "impostor.glsl"

in vec3 surface_position;
in vec2 cell_at;
flat in vec3 cell_place;

uniform float ground_height;
uniform sampler2D impostor_base;
uniform float cell_height;  // texels

out vec4 color;

void main() {
  ivec3 texel = impostor_texel(cell_place, cell_at, cell_height);
  if (surface_position.y < ground_height || texelFetch(impostor_base, texel.xy, texel.z).a < 0.5) discard;
  color = vec4(1.0, 0.0, 0.0, 1.0);
}
