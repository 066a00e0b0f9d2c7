// SPDX-License-Identifier: MIT
// A round shade on the ground, for the channel that holds contact. Blended by MAX.
in vec2 blob_at;

uniform vec2 channel;  // red for terrain, green next to the key light's

out vec4 color;

void main() {
  float square = dot(blob_at, blob_at);
  if (square >= 1.0) discard;
  color = vec4(0.28 * (1.0 - square) * channel, 0.0, 1.0);
}
