// SPDX-License-Identifier: MIT
// For programs of which only the vertices are needed.
out vec4 color;

void main() {
  color = vec4(0.0);
}
