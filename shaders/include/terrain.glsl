// SPDX-License-Identifier: MIT
// A patch of ground seen from above: texture coordinates of a position, and the height of the ground there.
#ifndef LISSOM_TERRAIN
#define LISSOM_TERRAIN

uniform highp sampler2D ground_heights;  // world y, over the patch
uniform vec2 patch_center;               // world x, z
uniform vec2 patch_half;                 // half of its extent in x and z

vec2 patch_uv(vec2 at) {
  return 0.5 + 0.5 * (at - patch_center) / patch_half;
}

bool in_patch(vec2 uv) {
  return all(lessThan(abs(uv - 0.5), vec2(0.5)));
}

float terrain_height(vec2 at) {
  return texture(ground_heights, patch_uv(at)).r;
}

// The occlusion of the sky by higher ground nearby, 0 to 1: eight directions, near and farther.
float terrain_occlusion(vec3 at, float reach) {
  float hidden = 0.0;
  for (int i = 0; i < 16; ++i) {
    float angle = float(i) * 0.785398 + (i < 8 ? 0.0 : 0.392699);
    float radius = reach * (i < 8 ? 0.06 : 0.16);
    float above = terrain_height(at.xz + radius * vec2(cos(angle), sin(angle))) - at.y;
    hidden += clamp(above / radius, 0.0, 1.0);
  }
  return hidden / 16.0;
}

#endif
