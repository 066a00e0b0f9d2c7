// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace lissom {

// The channels of all animations with their samplers, a row each, where every one of them moves a property of a node by a
// sampler of its animation. Owns none of its buffers.
struct ChannelColumns {
  using Column = std::span<const std::int64_t>;

  // Fills the columns below. Returns false, and leaves them undefined, where a channel is not such a one.
  bool run() const;

  // Of each animation, how many there are; then of each, one animation after the other. -1: a word that is none of glTF's,
  // or no node.
  Column channel_counts, path, node, sampler;
  Column sampler_counts, sampler_input, sampler_output, sampler_interpolation;
  std::int64_t node_count = 0;

  std::span<std::int64_t> animation, number, input, output, interpolation;  // (channel)
};

}  // namespace lissom
