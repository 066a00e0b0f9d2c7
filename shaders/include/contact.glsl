// SPDX-License-Identifier: MIT
// The shadow of contact: how dark the ground is under a surface.
#ifndef LISSOM_CONTACT
#define LISSOM_CONTACT

// `height` of the surface over the ground, of the reach: 1 at the ground, nothing from the reach upwards.
float contact_shade(float height) {
  float over = clamp(1.0 - height, 0.0, 1.0);
  float touch = clamp(1.0 - 5.0 * height, 0.0, 1.0);
  return 0.4 * over + 0.6 * touch * touch;
}

// What a blurred shade leaves of the light: blurred feet are small and would be pale.
float light_under(float shade) {
  return 1.0 - 0.68 * shade * (2.0 - shade);
}

#endif
