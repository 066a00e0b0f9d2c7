// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/animation/tracks.h"

namespace lissom {

// The tracks of the channels of all animations, where nothing about them is odd and all their keys can be used in place:
// every channel moves a joint, each property of it once, and its keys are sound floats in one buffer. Owns none of its
// buffers.
struct ChannelTracks {
  using Column = std::span<const std::int64_t>;

  // Fills `tracks`, sorted by animation, joint and path. Returns false, and leaves them undefined, where something is odd.
  bool run() const;

  // Channels, sorted or not.
  Column animation, node, path, input, output, interpolation;
  Column joint_of_node;  // -1 for nodes that are no joints
  // Accessors. Where one is plain, it is float32, tightly packed in its buffer, at a multiple of 4 bytes.
  Column count, type, start, buffer;
  std::span<const bool> is_plain;
  std::int64_t own_buffer = 0;  // the one whose floats these are
  std::span<const float> floats;
  double largest = 0;         // number of a key
  double unit_tolerance = 0;  // how far from unit rotations may be

  std::span<Track> tracks;       // as many as channels
  std::span<std::int64_t> ends;  // (animation + 1) tracks of the animations before each, and of all

 private:
  bool is_sound(std::size_t channel) const;
  Track track_of(std::size_t channel) const;
  bool are_keys_sound() const;
};

}  // namespace lissom
