// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace lissom {

// What a JSON text will make of its bytes once it is decoded, counted in one pass that keeps nothing and allocates
// nothing: readers refuse a text by these numbers before they decode it. The text need not be valid JSON: what is
// counted is then an upper bound of what a decoder meets before it finds the fault.
struct JsonExtent {
  std::size_t depth = 0;       // the most containers open at once
  std::size_t containers = 0;  // objects and arrays
  std::size_t commas = 0;
  std::size_t keys = 0;     // strings before a colon
  std::size_t crowded = 0;  // keys beyond the `kRoomy`-th of their object: a hash table that grows
  std::size_t strings = 0;  // other strings
  // Bytes of the characters of all strings, and of the longest, as Python stores them: one, two or four for each
  // character, by the widest of the string.
  std::size_t characters = 0;
  std::size_t longest = 0;

  static constexpr std::size_t kRoomy = 8;
};

JsonExtent json_extent(std::string_view text);

}  // namespace lissom
