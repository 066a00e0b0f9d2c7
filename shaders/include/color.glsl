// SPDX-License-Identifier: MIT
// Colours: all shading is done in linear light; the last step of a program encodes to sRGB (IEC 61966-2-1).
#ifndef LISSOM_COLOR
#define LISSOM_COLOR

vec3 srgb_to_linear(vec3 encoded) {
  return mix(encoded / 12.92, pow((encoded + 0.055) / 1.055, vec3(2.4)), step(0.04045, encoded));
}

vec3 linear_to_srgb(vec3 linear) {
  return mix(linear * 12.92, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
}

// Leaves light up to 0.5 alone and bends what is above towards 1, so that lit white surfaces keep their form.
vec3 soft_shoulder(vec3 linear) {
  return mix(linear, 1.0 - 0.5 * exp((0.5 - linear) / 0.5), step(0.5, linear));
}

// A colour map: `count` texels of linear light, first at 0, last at 1, interpolated in between.
vec3 color_map(highp sampler2D map, int count, float value) {
  float at = clamp(value, 0.0, 1.0) * float(count - 1);
  int first = min(int(at), count - 2);
  return mix(texelFetch(map, ivec2(first, 0), 0).rgb, texelFetch(map, ivec2(first + 1, 0), 0).rgb,
             at - float(first));
}

#endif
