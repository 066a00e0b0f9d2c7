// SPDX-License-Identifier: MIT
// Handles to drag: spheres of 16 x 8 faces, six vertices each, one instance a handle.
in vec4 tail;  // world position, radius
in vec4 tint;  // sRGB

uniform mat4 clip_from_world;
uniform vec2 viewport;  // pixels
uniform float least_radius;  // pixels, however far or small

#include "color.glsl"

out vec3 surface_position;
out vec3 surface_normal;
out vec2 surface_uv;
out vec3 surface_color;
out float surface_heat;

const ivec2 kCorners[6] = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));

void main() {
  int face = gl_VertexID / 6;
  vec2 at = vec2(ivec2(face % 16, face / 16) + kCorners[gl_VertexID % 6]) * 0.39269908;  // eighths of pi
  surface_normal = vec3(sin(at.y) * cos(at.x), cos(at.y), sin(at.y) * sin(at.x));
  vec3 up = vec3(clip_from_world[0][1], clip_from_world[1][1], clip_from_world[2][1]);
  float pixel = 2.0 * (clip_from_world * vec4(tail.xyz, 1.0)).w / (length(up) * viewport.y);  // world units
  surface_position = tail.xyz + max(tail.w, least_radius * pixel) * surface_normal;
  surface_color = srgb_to_linear(tint.rgb);
  surface_uv = vec2(0.0);
  surface_heat = 0.0;
  gl_Position = clip_from_world * vec4(surface_position, 1.0);
}
