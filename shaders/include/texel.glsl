// SPDX-License-Identifier: MIT
// Folded textures: texels too many for one line, in lines of 2048 texels. Paged ones continue in further layers of
// an array texture: pages, each of a power of two of lines.
#ifndef LISSOM_TEXEL
#define LISSOM_TEXEL

// The coordinates of texel i. The width is a power of two so that this is a mask and a shift.
// TEXELS_IN_ONE_LINE: there are no more than 2048.
ivec2 folded_texel(int i) {
#ifdef TEXELS_IN_ONE_LINE
  return ivec2(i, 0);
#else
  return ivec2(i & 2047, i >> 11);
#endif
}

// The same in pages of 1 << line_bits lines.
ivec3 paged_texel(int i, int line_bits) {
  int line = i >> 11;
  return ivec3(i & 2047, line & ((1 << line_bits) - 1), line >> line_bits);
}

// The inverse of folded_texel, for a shader that writes such a texture.
int folded_index(ivec2 at) {
  return (at.y << 11) | at.x;
}

#endif
