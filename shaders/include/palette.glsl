// SPDX-License-Identifier: MIT
// Palettes in float textures: one row of `stride` texels per skin joint, folded (texel.glsl), after `first` texels.
//   linear             3 texels: the rows of the 3x4 model_from_bind
//   dual quaternions   2 texels: real, dual; 5 with scale: after them the rows of the 3x4 A of model_from_bind = R A
//   quat_trans         2 texels: the rotation of R, its translation and 0; 5 with scale, as above
//   blended            5 texels: the 3x4 model_from_bind, real, dual; 8 with scale after them
#ifndef LISSOM_PALETTE
#define LISSOM_PALETTE

#include "texel.glsl"

struct Palette {
  int first;
  int stride;
};

// Two texels of a row: a dual quaternion, or a quaternion and a translation. Texel `offset` is 0, or 3 where an affine
// map comes before them.
mat2x4 palette_pair(highp sampler2D texels, Palette palette, int row, int offset) {
  int i = palette.first + row * palette.stride + offset;
  return mat2x4(texelFetch(texels, folded_texel(i), 0), texelFetch(texels, folded_texel(i + 1), 0));
}

mat2x4 palette_dual_quat(highp sampler2D texels, Palette palette, int row) {
  return palette_pair(texels, palette, row, 0);
}

// An affine map (affine.glsl) from texel `offset` of a row: 0 in a linear palette, 2 for the scale of a dual one.
mat3x4 palette_affine(highp sampler2D texels, Palette palette, int row, int offset) {
  int i = palette.first + row * palette.stride + offset;
  return mat3x4(texelFetch(texels, folded_texel(i), 0), texelFetch(texels, folded_texel(i + 1), 0),
                texelFetch(texels, folded_texel(i + 2), 0));
}

#endif
