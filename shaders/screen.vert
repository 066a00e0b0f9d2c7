// SPDX-License-Identifier: MIT
// One triangle that covers the target.
out vec2 screen_uv;

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  screen_uv = 0.5 + 0.5 * corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}
