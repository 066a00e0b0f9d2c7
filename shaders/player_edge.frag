// SPDX-License-Identifier: MIT
// The edges of a wireframe.
out vec4 color;

void main() {
  color = vec4(0.04, 0.05, 0.07, 0.35);
}
