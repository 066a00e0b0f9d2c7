// SPDX-License-Identifier: MIT
// The base colour's picture, and alpha (glTF 2.0, 3.9.4) in programs compiled with COVERED, for parts that are masked or
// blended: each draws the part of them that its pass is for. Others know nothing of alpha.
#ifndef LISSOM_COVERAGE
#define LISSOM_COVERAGE

#ifndef WITHOUT_TEXTURE
in vec2 surface_uv;
uniform bool textured;
uniform sampler2D base_color_map;  // sRGB, decoded by the fetch
#endif
#ifdef COVERED
in float surface_alpha;  // of the part and of the vertex
uniform float least_alpha;
uniform float most_alpha;
uniform bool softened;     // alpha becomes a share of a pixel's samples: only where it crosses the least
uniform bool dithered;     // as many pixels as alpha says, of each square of 4 by 4
uniform int dither_shift;  // other ones for another part
#endif

// The factor of the picture; 1 without one.
vec4 base_texel() {
#ifndef WITHOUT_TEXTURE
  if (textured) return texture(base_color_map, surface_uv);
#endif
  return vec4(1.0);
}

#ifdef COVERED
// Thresholds of an ordered dither by pixel (Bayer 1973), between 0 and 1. Front and back, and one part and the next, take
// its digits in either order: what two of them cover is then independent, as it is where one is blended over the other.
float dither_threshold(ivec2 pixel) {
  int layer = dither_shift + (gl_FrontFacing ? 0 : 1);
  int x = pixel.x + (layer >> 1);
  int y = pixel.y;
  int fine = 2 * ((x ^ y) & 1) + (y & 1);
  int coarse = 2 * (((x ^ y) >> 1) & 1) + ((y >> 1) & 1);
  int rank = (layer & 1) == 0 ? 4 * fine + coarse : 4 * coarse + fine;
  return (float(rank) + 0.5) / 16.0;
}
#endif

// How much of what is behind is covered, from the alpha of the picture; discards what another pass draws, or none.
float coverage(float texel_alpha) {
#ifdef COVERED
  float alpha = surface_alpha * texel_alpha;
  float width = fwidth(alpha);
  if (softened && width > 1e-3) {
    alpha = clamp((alpha - least_alpha) / width + 0.5, 0.0, 1.0);
    if (alpha <= 0.0) discard;
    return alpha;
  }
  float least = dithered ? dither_threshold(ivec2(gl_FragCoord.xy)) : least_alpha;
  if (alpha < least || alpha >= most_alpha) discard;
  return softened ? 1.0 : alpha;
#else
  return 1.0;
#endif
}

// For programs that need no colour.
void leave_out() {
#ifdef COVERED
  coverage(base_texel().a);
#endif
}

#endif
