// SPDX-License-Identifier: MIT
// The grid on the ground: fine lines, every fifth a little stronger.
#ifndef LISSOM_GRID
#define LISSOM_GRID

// The coverage of this pixel by a grid of lines one pixel wide, 0 to 1, fading where lines are too dense.
float grid_cover(vec2 at, float line_pixels) {
  vec2 width = max(fwidth(at), vec2(1e-6));
  vec2 distance_to_line = abs(fract(at - 0.5) - 0.5) / width;
  vec2 cover = clamp(line_pixels * 0.5 + 0.5 - distance_to_line, 0.0, 1.0) * clamp(1.5 - 3.0 * width, 0.0, 1.0);
  return max(cover.x, cover.y);
}

// The light that the grid transmits, at a position in units of its step; `strength` 0 to 1.
float light_by_grid(vec2 at, float strength) {
  return 1.0 - 0.14 * strength * max(0.5 * grid_cover(at, 1.0), grid_cover(at / 5.0, 1.3));
}

#endif
