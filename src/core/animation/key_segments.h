// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/animation/key_segment_kernels.h"
#include "core/error.h"

namespace lissom {

// One LINEAR track whose keys may be left out. Owns none of its arrays.
struct KeyTrack {
  std::span<const double> times;  // (K) seconds, strictly increasing, at least two
  std::span<const double>
      values;  // (K * 4) unit xyzw where it rotates; else vectors, the unused columns zero
  std::span<const double> levers;  // (K) at least 0: what an error of 1 at this key counts
  bool rotates = false;            // slerp on the shorter arc, else lerp
};

// The errors of segments of LINEAR tracks, and the fewest segments within a bound. A segment goes from a key that stays
// to the next that stays. Its error is the largest, over the keys between, of the distance of the key from the
// interpolation, times the key's lever; the distance of rotations is 2 sin(angle / 2) of the rotation between.
//
// The errors do not depend on the bound, so they are computed once, in a band: segments of at most kLongestSegment keys,
// of every length up to kEveryLength and beyond of every second, later every fourth (all lengths would take three times
// as long; a track that keeps few keys keeps one more at times). Lengths are tried from the shortest, at each first key until kMostFailures in succession are above the
// limit: a longer segment may fit where a shorter one did not, but hardly after that. Memory: 4 bytes for each segment
// that was tried. The errors are rounded up to float32.
class KeySegments {
 public:
  // Computes the errors. Those above `limit` count as infinite. On error `out` is unchanged.
  static Error make(std::span<const KeyTrack> tracks, double limit, KeySegments& out);

  // The keys that stay, 1 or 0 for each key of all tracks one after another: the ends of the fewest segments of each
  // track within its bound, the first and the last key among them; of equally few those with the smallest sum of
  // errors. A shortest path: exact within the band, since a segment between neighbours has no error.
  Error keep(std::span<const double> bounds, std::span<std::uint8_t> kept) const;

  std::size_t track_count() const { return tracks_.size(); }
  std::size_t key_count() const { return key_count_; }

 private:
  // Segments from as many first keys as kernels have lanes.
  struct Block {
    std::vector<float> errors;  // (lengths tried, lanes)
    std::vector<float> least;   // (lengths tried) over that length and all longer ones
  };
  struct Track {
    std::size_t begin = 0, count = 0;  // of its keys
    std::vector<Block> blocks;
  };
  void keep_track(const Track& track, double bound, std::uint8_t* kept) const;

  std::vector<Track> tracks_;
  std::size_t key_count_ = 0, lanes_ = 1;
};

}  // namespace lissom
