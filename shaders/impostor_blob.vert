// SPDX-License-Identifier: MIT
// The contact shadow of an impostor: a level square on the ground under it.
in vec4 place;  // world centre, half the width
in vec4 cell;   // fourth: half the height

uniform mat4 clip_from_world;

out vec2 blob_at;

void main() {
  blob_at = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * 2.0 - 1.0;
  vec3 on_ground = place.xyz + place.w * 0.6 * vec3(blob_at.x, 0.0, blob_at.y) - vec3(0.0, cell.w, 0.0);
  gl_Position = clip_from_world * vec4(on_ground, 1.0);
}
