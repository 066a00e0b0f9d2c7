// SPDX-License-Identifier: MIT
// The light of the stage: a sky cool above and warm below, a key light, a weak rim from behind, a soft highlight.
#ifndef LISSOM_LIGHT
#define LISSOM_LIGHT

const vec3 kSkyLight = vec3(0.56, 0.60, 0.66);
const vec3 kGroundLight = vec3(0.33, 0.31, 0.29);
const vec3 kKeyLight = vec3(0.98, 0.93, 0.84);
const vec3 kRimLight = vec3(0.16, 0.17, 0.19);

// The diffuse term of the key light: wrapped a little past the terminator, for a large soft lamp rather than a point.
float key_share(vec3 normal, vec3 to_key) {
  return max((dot(normal, to_key) + 0.15) / 1.15, 0.0);
}

// Light that reaches ground: the sky as far as it is unoccluded, the key light as far as it is visible, softened, as
// light under a real sky is scattered.
vec3 light_on_ground(vec3 normal, vec3 to_key, float open, float seen) {
  vec3 sky = mix(kGroundLight, kSkyLight, 0.5 + 0.5 * normal.y) * open;
  return sky + key_share(normal, to_key) * mix(0.42, 1.0, seen) * kKeyLight;
}

// Light leaving a matt surface towards the eye. All directions are unit and point away from the surface; `open` is 1
// in the open and falls towards 0 where the ground is near.
vec3 lit(vec3 base, vec3 normal, vec3 to_eye, vec3 to_key, float open) {
  vec3 sky = mix(kGroundLight, kSkyLight, 0.5 + 0.5 * normal.y) * open;
  float key = key_share(normal, to_key);
  float highlight = pow(max(dot(normal, normalize(to_key + to_eye)), 0.0), 40.0);
  float rim = pow(1.0 - max(dot(normal, to_eye), 0.0), 3.0) * (0.4 + 0.6 * max(normal.y, 0.0));
  return base * (sky + key * kKeyLight) + 0.06 * highlight * kKeyLight + rim * kRimLight * (0.25 + 0.75 * base);
}

#endif
