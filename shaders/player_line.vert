// SPDX-License-Identifier: MIT
// Lines `line_width` pixels wide: four vertices each, a strip.
in vec3 tail;  // world
in vec3 head;
in vec4 tint;  // sRGB

uniform mat4 clip_from_world;
uniform vec2 viewport;  // pixels
uniform float line_width;

out vec4 flat_color;

void main() {
  vec4 from = clip_from_world * vec4(tail, 1.0);
  vec4 to = clip_from_world * vec4(head, 1.0);
  // Clips the part behind the eye.
  float least = 1e-4 * max(from.w, to.w);
  if (from.w < least) from = mix(from, to, (least - from.w) / (to.w - from.w));
  if (to.w < least) to = mix(to, from, (least - to.w) / (from.w - to.w));
  vec2 direction = (to.xy / to.w - from.xy / from.w) * viewport;
  vec2 normal = vec2(-direction.y, direction.x) / max(length(direction), 1e-6);
  gl_Position = (gl_VertexID & 1) == 0 ? from : to;
  gl_Position.xy += ((gl_VertexID & 2) == 0 ? normal : -normal) * line_width / viewport * gl_Position.w;
  flat_color = tint;
}
