// SPDX-License-Identifier: MIT
// Shared by the programs of impostors: the cell of the atlas that an instance shows, at the level of detail that its
// height in pixels needs, chosen on the CPU, so that one unfiltered fetch suffices.
#ifndef LISSOM_IMPOSTOR
#define LISSOM_IMPOSTOR

// How much of a texel's colour shines by itself, beside its normal: up to this value a share of what a part emits, 1 for
// parts that are unlit.
const float kMostEmitted = 0.75;

// The texel of a cell: `cell` is its lower left texel at level 0, and its level + 4 times its width; `at` is 0 to 1
// within it.
ivec3 impostor_texel(vec3 cell, vec2 at, float cell_height) {
  int both = int(cell.z + 0.5);
  int level = both & 3;
  vec2 side = vec2(both >> 2, cell_height) / float(1 << level);
  vec2 inside = clamp(floor(at * side), vec2(0.0), side - 1.0);
  return ivec3(ivec2(cell.xy + 0.5) >> level, level) + ivec3(ivec2(inside), 0);
}

#endif
