// SPDX-License-Identifier: MIT
// A cell of an impostor atlas, a character from one side: base colour and normal, without light. Both targets begin at
// zero: with the coverage in alpha, sums over pixels are premultiplied by it.
in vec3 surface_position;
in vec3 surface_normal;
in vec2 surface_uv;
in vec3 surface_color;

uniform vec3 to_eye;  // unit, the same everywhere
uniform bool textured;
uniform sampler2D base_color_map;  // sRGB, decoded by the fetch

layout(location = 0) out vec4 base;
layout(location = 1) out vec4 normal;

void main() {
  base = vec4(surface_color, 1.0);
  if (textured) base.rgb *= texture(base_color_map, surface_uv).rgb;
  vec3 face = cross(dFdx(surface_position), dFdy(surface_position));
  if (dot(face, to_eye) < 0.0) face = -face;
  vec3 unit = normalize(dot(surface_normal, surface_normal) > 0.0 ? surface_normal : face);
  normal = vec4(dot(unit, face) < 0.0 ? -unit : unit, 1.0);
}
