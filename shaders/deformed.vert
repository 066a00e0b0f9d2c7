// SPDX-License-Identifier: MIT
// Skinning alone, for transform feedback: what the program skinned_model computes in model space.
#include "influences.glsl"

in vec3 position;
in vec3 normal;

uniform highp sampler2D palette;
uniform int palette_first;
uniform int palette_stride;

out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
  Palette where = Palette(palette_first, palette_stride);
  Skinned skinned;
  if (palette_stride == 3) {
    skinned = skin_linear(palette, where, vertex_influences(), position, normal);
  } else {
    skinned = skin_dual_quat(palette, where, vertex_influences(), position, normal);
  }
  deformed_position = skinned.position;
  deformed_normal = skinned.normal;
}
