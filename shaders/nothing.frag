// SPDX-License-Identifier: MIT
// For programs whose vertices are all that is wanted.
out vec4 color;

void main() {
  color = vec4(0.0);
}
