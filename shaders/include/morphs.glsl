// SPDX-License-Identifier: MIT
// Morph targets: what the active ones add to a vertex, before it is skinned. Vertices that no target moves have no
// entry; the others are numbered. Three textures in lines of 2048 texels:
//   masks    unsigned; for each moved vertex one texel per block of 96 targets: the row of the first target of the block
//            that moves the vertex, and three words with a bit per target, the lowest first
//   rows     float; for each vertex its targets in order, MORPH_STRIDE texels each: what weight 1 adds to the position,
//            and to the normal where there are two
//   weights  float; lists of active targets, two in a texel: target, weight, target, weight. A weight of 0 ends a list
#ifndef LISSOM_MORPHS
#define LISSOM_MORPHS

#ifndef MORPH_STRIDE
#define MORPH_STRIDE 2
#endif

// The lists to read: `first` texel, `texels` at most; `blocks` of 96 targets that a vertex has in the masks.
struct MorphList {
  int first;
  int texels;
  int blocks;
};

struct Morphed {
  vec3 position;
  vec3 normal;  // not unit
};

// As folded_texel, which palettes that fit into one line may shorten.
ivec2 morph_texel(int i) {
  return ivec2(i & 2047, i >> 11);
}

int bit_count(uint word) {
  word -= (word >> 1) & 0x55555555u;
  word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
  return int((((word + (word >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
}

// The row of a target for a moved vertex, or -1: rows of a vertex are those of its set bits. `at` is the vertex's first
// texel of masks, and `mask` what stands there: few meshes have more.
int morph_row(highp usampler2D masks, int at, uvec4 mask, int target) {
  int bit = target;
  if (bit >= 96) {
    int block = target / 96;
    bit = target - 96 * block;
    mask = texelFetch(masks, morph_texel(at + block), 0);
  }
  uint own = bit < 32 ? mask.y : bit < 64 ? mask.z : mask.w;
  uint here = 1u << uint(bit & 31);
  if ((own & here) == 0u) return -1;
  int before = bit_count(own & (here - 1u));
  if (bit >= 32) before += bit_count(mask.y);
  if (bit >= 64) before += bit_count(mask.z);
  return int(mask.x) + before;
}

Morphed morph_plus(Morphed sum, highp usampler2D masks, highp sampler2D rows, int at, uvec4 mask, vec2 pair) {
  int row = morph_row(masks, at, mask, int(pair.x));
  if (row < 0) return sum;
  sum.position += pair.y * texelFetch(rows, morph_texel(MORPH_STRIDE * row), 0).xyz;
#if MORPH_STRIDE == 2
  sum.normal += pair.y * texelFetch(rows, morph_texel(2 * row + 1), 0).xyz;
#endif
  return sum;
}

// glTF 2.0, section 3.7.2.2: position and normal plus the sum of weight times difference. `vertex` counts moved ones.
Morphed morphed(highp usampler2D masks, highp sampler2D rows, highp sampler2D weights, MorphList list, int vertex,
                vec3 position, vec3 normal) {
  Morphed sum = Morphed(position, normal);
  int at = vertex * list.blocks;
  uvec4 mask = texelFetch(masks, morph_texel(at), 0);
  for (int i = 0; i < list.texels; ++i) {
    vec4 pair = texelFetch(weights, morph_texel(list.first + i), 0);
    if (pair.y == 0.0) break;
    sum = morph_plus(sum, masks, rows, at, mask, pair.xy);
    if (pair.w == 0.0) break;
    sum = morph_plus(sum, masks, rows, at, mask, pair.zw);
  }
  return sum;
}

#endif
