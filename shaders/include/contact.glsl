// SPDX-License-Identifier: MIT
// The contact shadow: the darkness of the ground under a surface.
#ifndef LISSOM_CONTACT
#define LISSOM_CONTACT

// Of the `height` of the surface over the ground as a share of the reach: 1 at the ground, 0 from the reach upwards.
float contact_shade(float height) {
  float over = clamp(1.0 - height, 0.0, 1.0);
  float touch = clamp(1.0 - 5.0 * height, 0.0, 1.0);
  return 0.4 * over + 0.6 * touch * touch;
}

// The light that a blurred shadow transmits, darkened: blurred feet are small and would be pale.
float light_under(float shade) {
  return 1.0 - 0.68 * shade * (2.0 - shade);
}

#endif
