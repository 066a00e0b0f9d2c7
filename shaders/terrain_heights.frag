// SPDX-License-Identifier: MIT
// The ground seen from above: the height of the highest surface.
in vec3 ground_position;

out vec4 height;

void main() {
  height = vec4(ground_position.y, 0.0, 0.0, 1.0);
}
