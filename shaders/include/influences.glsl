// SPDX-License-Identifier: MIT
// The influences of a vertex as attributes: palette rows as integers, weights summing to 1.
#ifndef LISSOM_INFLUENCES
#define LISSOM_INFLUENCES

#include "skinning.glsl"

in uvec4 rows;
in vec4 weights;
#if INFLUENCE_COUNT == 8
in uvec4 more_rows;
in vec4 more_weights;
#endif

Influences vertex_influences() {
#if INFLUENCE_COUNT == 8
  return influences_of(rows, weights, more_rows, more_weights);
#else
  return influences_of(rows, weights);
#endif
}

#endif
