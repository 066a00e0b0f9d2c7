// SPDX-License-Identifier: MIT
// Morphing and skinning alone, for transform feedback: what the program skinned_model computes in model space.
#include "influences.glsl"
#include "morphed_vertex.glsl"

in vec3 position;
in vec3 normal;

uniform highp sampler2D palette;

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  Morphed shape = morphed_vertex(0, position, normal);
  Skinned skinned = skin_vertex(palette, 0, shape.position, shape.normal);
  deformed_position = skinned.position;
  deformed_normal = skinned.normal;
}
