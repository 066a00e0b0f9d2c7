// SPDX-License-Identifier: MIT
// Morph targets: what the active ones add to a vertex, before it is skinned. Vertices that no target moves have no
// entry; the others are numbered. Three textures in lines of 2048 texels:
//   masks    unsigned; for each moved vertex one texel per block of 96 targets: the row of the first target of the block
//            that moves the vertex, and three words with a bit per target, the lowest first
//   rows     float; for each vertex its targets in order, MORPH_STRIDE texels each: what weight 1 adds to the position,
//            and to the normal where there are two
//   weights  unsigned; lists of active targets: for each block one texel, the number of active targets before it and
//            three words with a bit per target, as in the masks; then the bits of their weights, in order, four in a
//            texel
#ifndef LISSOM_MORPHS
#define LISSOM_MORPHS

#ifndef MORPH_STRIDE
#define MORPH_STRIDE 2
#endif

// The list to read: its `first` texel; `blocks` of 96 targets that it and a vertex have.
struct MorphList {
  int first;
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

// The bits of three words.
int bit_count(uvec3 words) {
  words -= (words >> 1) & 0x55555555u;
  words = (words & 0x33333333u) + ((words >> 2) & 0x33333333u);
  words = (words + (words >> 4)) & 0x0f0f0f0fu;
  return int(((words.x + words.y + words.z) * 0x01010101u) >> 24);
}

// All bits of three words below the lowest that is set, of which there must be one.
uvec3 below_lowest(uvec3 words) {
  uint full = 0xffffffffu;
  uvec3 below = ~words & (words - 1u);  // of each word
  if (words.x != 0u) return uvec3(below.x, 0u, 0u);
  if (words.y != 0u) return uvec3(full, below.y, 0u);
  return uvec3(full, full, below.z);
}

// Three words without the lowest bit that is set.
uvec3 without_lowest(uvec3 words) {
  uvec3 rest = words & (words - 1u);  // of each word
  if (words.x != 0u) return uvec3(rest.x, words.yz);
  if (words.y != 0u) return uvec3(0u, rest.y, words.z);
  return uvec3(0u, 0u, rest.z);
}

// glTF 2.0, section 3.7.2.2: position and normal plus the sum of weight times difference. `vertex` counts moved ones.
// What is fetched is what is added: a loop over all active targets would fetch for each.
Morphed morphed(highp usampler2D masks, highp sampler2D rows, highp usampler2D weights, MorphList list, int vertex,
                vec3 position, vec3 normal) {
  Morphed sum = Morphed(position, normal);
  for (int i = 0; i < list.blocks; ++i) {
    uvec4 moving = texelFetch(masks, morph_texel(vertex * list.blocks + i), 0);
    uvec4 asked = texelFetch(weights, morph_texel(list.first + i), 0);
    uvec3 left = moving.yzw & asked.yzw;
    while ((left.x | left.y | left.z) != 0u) {
      uvec3 below = below_lowest(left);
      int row = int(moving.x) + bit_count(moving.yzw & below);
      int place = int(asked.x) + bit_count(asked.yzw & below);
      uvec4 four = texelFetch(weights, morph_texel(list.first + list.blocks + (place >> 2)), 0);
      float weight = uintBitsToFloat(four[place & 3]);
      sum.position += weight * texelFetch(rows, morph_texel(MORPH_STRIDE * row), 0).xyz;
#if MORPH_STRIDE == 2
      sum.normal += weight * texelFetch(rows, morph_texel(2 * row + 1), 0).xyz;
#endif
      left = without_lowest(left);
    }
  }
  return sum;
}

#endif
