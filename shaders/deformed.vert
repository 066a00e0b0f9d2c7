// SPDX-License-Identifier: MIT
// Skinning alone, for transform feedback: what the program skinned_model computes in model space.
#include "influences.glsl"

in vec3 position;
in vec3 normal;

uniform highp sampler2D palette;

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  Skinned skinned = skin_vertex(palette, 0, position, normal);
  deformed_position = skinned.position;
  deformed_normal = skinned.normal;
}
