// SPDX-License-Identifier: MIT
// Folded textures: a sequence of texels too long for one texture row, laid line under line, 2048 wide.
#ifndef LISSOM_TEXEL
#define LISSOM_TEXEL

// Where texel i of the sequence lies. The width is a power of two so that this is a mask and a shift. TEXELS_IN_ONE_LINE
// promises that there are no more than 2048.
ivec2 folded_texel(int i) {
#ifdef TEXELS_IN_ONE_LINE
  return ivec2(i, 0);
#else
  return ivec2(i & 2047, i >> 11);
#endif
}

// The way back, for a shader that writes such a texture.
int unfolded_texel(ivec2 at) {
  return (at.y << 11) | at.x;
}

#endif
