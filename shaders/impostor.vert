// SPDX-License-Identifier: MIT
// A far character as one upright square that faces the eye about the vertical, showing a cell of the atlas.
in vec4 place;     // world centre, half the width
in vec4 cell;      // lower left texel at level 0, level and width; half the height
in vec4 rotation;  // of the instance: x y z w
in vec4 tint;

uniform vec3 impostor_eye;  // of the picture, also where its shadow is drawn
uniform mat4 clip_from_world;

out vec3 surface_position;
out vec2 cell_at;
flat out vec3 cell_place;
flat out vec4 cell_rotation;
flat out vec3 cell_tint;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * 2.0 - 1.0;
  vec2 to_eye = normalize(impostor_eye.xz - place.xz);
  vec3 right = vec3(to_eye.y, 0.0, -to_eye.x);
  surface_position = place.xyz + corner.x * place.w * right + vec3(0.0, corner.y * cell.w, 0.0);
  cell_at = 0.5 + 0.5 * corner;
  cell_place = cell.xyz;
  cell_rotation = rotation;
  cell_tint = tint.rgb;
  gl_Position = clip_from_world * vec4(surface_position, 1.0);
  // As near as the front of the character: feet that extend beyond the square stay above the ground.
  vec4 front = clip_from_world * vec4(surface_position + place.w * vec3(to_eye.x, 0.0, to_eye.y), 1.0);
  if (front.w > 0.0) gl_Position.z = front.z / front.w * gl_Position.w;
}
