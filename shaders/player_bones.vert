// SPDX-License-Identifier: MIT
// Bones as slim octahedra, for every instance: 24 vertices each, two ends that follow a palette row each.
#include "palette.glsl"
#include "affine.glsl"

in vec4 tail;  // palette row; place in bind space
in vec4 head;

uniform highp sampler2D palette;  // linear
uniform int row_count;
uniform int painted_row;
uniform mat4 clip_from_world;

out vec3 surface_position;
out vec3 surface_normal;  // zero: every face its own
out vec2 surface_uv;
out vec3 surface_color;
out float surface_heat;

// Faces over the corners: tail, four around the waist, head.
const int kCorners[24] = int[24](0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4);
const float kWaist = 0.18;      // the widest section of a bone, as a share of its length
const float kThickness = 0.09;  // of its length, to each side

vec3 end_of(vec4 end) {
  Palette poses = Palette(gl_InstanceID * row_count * 3, 3);
  return affine_point(palette_affine(palette, poses, int(end.x), 0), end.yzw);
}

void main() {
  vec3 from = end_of(tail);
  vec3 to = end_of(head);
  vec3 bone = to - from;
  int corner = kCorners[gl_VertexID % 24];
  surface_position = corner == 0 ? from : to;
  if (corner > 0 && corner < 5) {
    // Across: from the axis that the bone is farthest from.
    vec3 size = abs(bone);
    vec3 axis = size.x <= min(size.y, size.z) ? vec3(1.0, 0.0, 0.0)
                : size.y <= size.z           ? vec3(0.0, 1.0, 0.0)
                                             : vec3(0.0, 0.0, 1.0);
    vec3 right = normalize(cross(bone + vec3(0.0, 1e-30, 0.0), axis));
    vec3 front = normalize(cross(right, bone + vec3(0.0, 1e-30, 0.0)));
    vec3 side = corner % 2 == 1 ? right : front;
    surface_position = from + kWaist * bone + kThickness * length(bone) * (corner < 3 ? side : -side);
  }
  surface_normal = vec3(0.0);
  surface_color = int(tail.x) == painted_row ? vec3(0.85, 0.32, 0.04) : vec3(0.22, 0.58, 0.95);
  surface_uv = vec2(0.0);
  surface_heat = 0.0;
  gl_Position = clip_from_world * vec4(surface_position, 1.0);
}
