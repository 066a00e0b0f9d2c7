// SPDX-License-Identifier: MIT
#include "core/animation/bvh_frames.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#ifndef __cpp_lib_to_chars  // no from_chars of doubles: libc++ before 20
#include <locale>
#include <sstream>
#endif

namespace lissom {
namespace {

constexpr std::size_t kShown = 24;  // characters of a bad word in a message

// Products and quotients of two exact doubles are rounded once, hence correct: which suffices for at most 53 bits of
// digits and a power of ten up to 1e22 (the last that is exact).
// Source: W. D. Clinger, How to read floating point numbers accurately, PLDI 1990.
constexpr std::uint64_t kExactDigits = std::uint64_t{1} << 53;
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t kLastPower = 22;
constexpr int kMostDigits = 18;             // that 64 bits hold
constexpr std::int64_t kHuge = 1000000000;  // beyond it a number is 0 or infinite

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_space(char c) { return c == ' ' || c == '\t' || is_line_end(c) || c == '\v' || c == '\f'; }

double nearest(const char* begin, const char* end) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  const std::from_chars_result result = std::from_chars(begin, end, value);
  return result.ec == std::errc{} ? value : std::numeric_limits<double>::quiet_NaN();
#else
  std::istringstream stream(std::string(begin, end));
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  return stream.fail() ? std::numeric_limits<double>::quiet_NaN() : value;
#endif
}

// Reads a number at `at` and moves `at` behind it. False, `at` unchanged, where there is none that ends at a space or
// the end of the text. A number beyond the largest double becomes infinite.
bool read_number(const char*& at, const char* end, double& value) {
  const char* p = at;
  const bool is_negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  const char* const unsigned_begin = p;
  std::uint64_t digits = 0;
  int digit_count = 0;        // of `digits`, without leading zeros
  std::int64_t exponent = 0;  // value = digits * 10^exponent
  bool is_whole = true;       // all digits are in `digits`
  const auto take = [&](char c) {
    if (digit_count < kMostDigits) {
      digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
      if (digits) ++digit_count;
      return true;
    }
    is_whole = false;
    return false;
  };
  const char* const integer_begin = p;
  for (; p != end && is_digit(*p); ++p) {
    if (!take(*p)) ++exponent;
  }
  bool has_digits = p != integer_begin;
  if (p != end && *p == '.') {
    const char* const fraction_begin = ++p;
    for (; p != end && is_digit(*p); ++p) {
      if (take(*p)) --exponent;
    }
    has_digits = has_digits || p != fraction_begin;
  }
  if (!has_digits) return false;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool is_below_one = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    const char* const exponent_begin = p;
    std::int64_t power = 0;
    for (; p != end && is_digit(*p); ++p) {
      if (power < kHuge) power = 10 * power + (*p - '0');
    }
    if (p == exponent_begin) return false;
    exponent += is_below_one ? -power : power;
  }
  if (p != end && !is_space(*p)) return false;

  double size = 0;
  if (is_whole && digits <= kExactDigits && exponent >= -kLastPower && exponent <= kLastPower) {
    size = static_cast<double>(digits);
    size = exponent < 0 ? size / kPowers[-exponent] : size * kPowers[exponent];
  } else if (digits) {
    size = nearest(unsigned_begin, p);
    if (std::isnan(size)) {  // too large for a double, or too small
      size = exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    }
  }
  value = is_negative ? -size : size;
  at = p;
  return true;
}

// Whether the text ends within what may have been a number: "-", "1e".
bool is_cut_off(const char* at, const char* end) {
  constexpr std::string_view kOfNumbers = "+-.eE0123456789";
  return end - at < 32 &&
         std::string_view(at, static_cast<std::size_t>(end - at)).find_first_not_of(kOfNumbers) ==
             std::string_view::npos;
}

// The text at `at`, printable.
std::string word(const char* at, const char* end) {
  std::string shown;
  for (; at != end && !is_space(*at); ++at) {
    if (shown.size() == kShown) return shown + "...";
    shown += *at >= ' ' && *at <= '~' ? *at : '?';
  }
  return shown;
}

std::string number_fault(const char* at, const char* end) {
  const std::string got = word(at, end);
  std::string sentence = "frames hold finite decimal numbers, got '" + got + "'";
  if (got.find(',') != std::string::npos)
    sentence += "; write a point before decimals, spaces between numbers";
  return sentence;
}

}  // namespace

std::size_t BvhFramesJob::capacity(std::size_t text_size, std::size_t channel_count) {
  if (channel_count < 1) return 0;
  const std::size_t most_numbers = text_size / 2 + 1;  // a digit and a space each
  return (most_numbers / channel_count + 1) * channel_count;
}

Error BvhFramesJob::validate() const {
  if (channel_count < 1) return Error("channel_count must be at least 1, got 0");
  if (out.size() < capacity(text.size(), channel_count)) {
    return Error("out must hold " + std::to_string(capacity(text.size(), channel_count)) + " numbers, got " +
                 std::to_string(out.size()));
  }
  return {};
}

Error BvhFramesJob::run() {
  if (Error error = validate()) return error;
  const char* p = text.data();
  const char* const end = p + text.size();
  std::int64_t line = first_line;
  double* next = out.data();
  std::size_t filled = 0;      // numbers of the current frame
  bool is_line_begun = false;  // this line has a number already
  frame_count = 0;
  left_over_count = 0;
  fault_line = 0;
  fault.clear();
  for (; p != end;) {
    if (is_space(*p)) {
      if (is_line_end(*p)) {
        if (*p == '\r' && p + 1 != end && p[1] == '\n') ++p;
        ++line;
        is_line_begun = false;
      }
      ++p;
      continue;
    }
    if (filled == 0) {
      if (is_line_begun) {
        fault_line = line;
        fault = "a frame has " + std::to_string(channel_count) + " numbers, as many as there are channels, ";
        fault += last_line == line ? "but this line goes on with '" + word(p, end) + "'"
                                   : "but the one that begins in line " + std::to_string(last_line) +
                                         " ends within this line: it lacks numbers, or has too many";
        return {};
      }
      last_line = line;
    }
    const char* const begin = p;
    double value = 0;
    if (!read_number(p, end, value) || !std::isfinite(value)) {
      if (is_cut_off(begin, end)) {
        ++filled;
        break;
      }
      fault_line = line;
      fault = number_fault(begin, end);
      return {};
    }
    *next++ = value;
    is_line_begun = true;
    if (++filled == channel_count) {
      filled = 0;
      ++frame_count;
    }
  }
  left_over_count = filled;
  return {};
}

}  // namespace lissom
