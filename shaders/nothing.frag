// SPDX-License-Identifier: MIT
// For programs of which only the vertices are needed, or the depth.
#ifdef COVERED
#include "coverage.glsl"
#endif

out vec4 color;

void main() {
#ifdef COVERED
  leave_out();
#endif
  color = vec4(0.0);
}
