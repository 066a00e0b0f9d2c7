// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// What keys must be. NaN breaks the first and the last.
enum class KeyRule {
  kNumbers,    // each at most `limit` away from zero
  kRotations,  // four floats whose length is within `limit` of 1
  kTimes       // each after the one before; ranges end before their last
};

// Finds in one array of floats which of many ranges of keys break a rule. Ranges may overlap: however many hold a float,
// at most about twice the floats are looked at, each once for each place that it has in a key. Owns none of its buffers.
struct KeyFaultsJob {
  Error run() const;

  std::span<const float> floats;
  KeyRule rule = KeyRule::kNumbers;
  double limit = 0;
  std::size_t step = 1;  // floats from one key to the next
  // (R) A key is at begin, begin + step and so on below end, within the floats.
  std::span<const std::int64_t> begin;
  std::span<const std::int64_t> end;
  std::span<std::int64_t> count;  // (R) keys that break the rule
  std::span<std::int64_t> first;  // (R) where the first of them is; -1 for none
};

}  // namespace lissom
