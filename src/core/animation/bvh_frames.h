// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace lissom {

// Reads the numbers of a BVH file's MOTION section: one row of `channel_count` per frame. Every number is the double
// nearest to its decimal text, whatever the locale; its grammar is [+-] digits [. digits] [e [+-] digits], with a digit
// before or after the point.
//
// A frame begins on a line of its own and may continue over several. A violation is a fault: as one stream of numbers
// every channel after a missing one would be shifted into its neighbour.
struct BvhFramesJob {
  // Numbers that `out` must hold: the most that `text` can have, whole frames and a part of one.
  static std::size_t capacity(std::size_t text_size, std::size_t channel_count);

  Error validate() const;
  Error run();

  // Inputs.
  std::string_view text;          // after the frame time, any line ends
  std::int64_t first_line = 1;    // of `text` in its file
  std::size_t channel_count = 0;  // numbers of a frame, at least 1
  // Outputs.
  std::span<double> out;            // (frame, channel_count), the first frame_count rows are written
  std::size_t frame_count = 0;      // whole frames, before the fault if there is one
  std::size_t left_over_count = 0;  // numbers of a last frame that the text ends within
  std::int64_t last_line = 0;       // where that frame begins
  std::int64_t fault_line = 0;      // of the fault; 0 without one
  std::string fault;                // one sentence
};

}  // namespace lissom
