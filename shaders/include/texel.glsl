// SPDX-License-Identifier: MIT
// Folded textures: a sequence of texels too long for one texture row, laid line under line, 2048 wide.
#ifndef LISSOM_TEXEL
#define LISSOM_TEXEL

// Where texel i of the sequence lies. The width is a power of two so that this is a mask and a shift.
ivec2 folded_texel(int i) {
  return ivec2(i & 2047, i >> 11);
}

// The way back, for a shader that writes such a texture.
int unfolded_texel(ivec2 at) {
  return (at.y << 11) | at.x;
}

#endif
