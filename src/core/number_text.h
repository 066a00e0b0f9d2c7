// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace lissom {

// A number in an error: as few digits as distinguish it from all others of its type, but six of one that has them.
// Not by std::to_chars, which Clang's C++ library has for these types on some systems alone.
template <class T>
std::string number_text(T value) {
  using Limits = std::numeric_limits<T>;
  const bool subnormal = value < Limits::min() && value > -Limits::min();
  char text[32];  // the longest double has 24 characters
  for (int digits = subnormal ? 1 : 6; digits <= Limits::max_digits10; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (static_cast<T>(std::strtod(text, nullptr)) == value) break;
  }
  return text;
}

}  // namespace lissom
