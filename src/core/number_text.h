// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdio>
#include <string>

namespace lissom {

// A number in an error: as few digits as distinguish it from all others of its type.
template <class T>
std::string number_text(T value) {
  char text[32];  // the longest double has 24 characters
#ifdef __cpp_lib_to_chars
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
#else  // no to_chars of floating-point numbers
  std::snprintf(text, sizeof text, sizeof value == sizeof(float) ? "%.9g" : "%.17g",
                static_cast<double>(value));
  return text;
#endif
}

}  // namespace lissom
