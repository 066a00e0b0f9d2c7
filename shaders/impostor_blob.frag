// SPDX-License-Identifier: MIT
// A round shade on the ground, for the channel that holds contact. Blended by MAX.
in vec2 blob_at;

uniform vec2 channel;  // red for terrain, green beside the key light's

out vec4 color;

void main() {
  float away = dot(blob_at, blob_at);
  if (away >= 1.0) discard;
  color = vec4(0.28 * (1.0 - away) * channel, 0.0, 1.0);
}
