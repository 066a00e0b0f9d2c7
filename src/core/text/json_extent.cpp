// SPDX-License-Identifier: MIT
#include "core/text/json_extent.h"

#include <algorithm>
#include <array>

namespace lissom {
namespace {

// Objects nested deeper are not counted key by key: decoders refuse them.
constexpr std::size_t kDeepest = 256;

// ASCII except the quote, which ends a string, and the backslash.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < 128; ++i) plain[i] = i != '"' && i != '\\';
  return plain;
}();

// What is neither a bracket nor a comma, a colon or a quote.
constexpr std::array<bool, 256> kDull = [] {
  std::array<bool, 256> dull{};
  for (std::size_t i = 0; i < 256; ++i) dull[i] = true;
  for (const unsigned char one : {'"', ':', ',', '{', '}', '[', ']'}) dull[one] = false;
  return dull;
}();

// The characters of a string, and the bytes that Python takes for each.
class Text {
 public:
  // Reads from behind the opening quote up to the closing one; returns the byte behind it, or `end`.
  const unsigned char* read(const unsigned char* at, const unsigned char* end) {
    while (at != end && *at != '"') {
      const unsigned char* const plain = at;
      while (at != end && kPlain[*at]) ++at;
      count_ += static_cast<std::size_t>(at - plain);
      if (at == end || *at == '"') break;
      if (*at == '\\') {
        at = escape(at + 1, end);
        continue;
      }
      if (*at >= 0xF0) {
        widen(4);  // beyond the basic plane
      } else if (*at >= 0xC4) {
        widen(2);  // U+0100 and above
      }
      count_ += (*at & 0xC0) != 0x80;  // but not the bytes that continue a character
      ++at;
    }
    return at == end ? end : at + 1;
  }

  std::size_t bytes() const { return count_ * width_; }

 private:
  void widen(std::size_t width) { width_ = std::max(width_, width); }

  // Reads what follows a backslash.
  const unsigned char* escape(const unsigned char* at, const unsigned char* end) {
    ++count_;
    if (at == end) return end;
    if (*at == 'u' && end - at > 4) {
      const bool is_surrogate = (at[1] | 0x20) == 'd' && (at[2] >= '8');
      if (is_surrogate) {
        widen(4);
      } else if (at[1] != '0' || at[2] != '0') {
        widen(2);
      }
    }
    return at + 1;  // the digits are counted as characters, which is too much rather than too little
  }

  std::size_t count_ = 0;
  std::size_t width_ = 1;
};

}  // namespace

JsonExtent json_extent(std::string_view text) {
  JsonExtent extent;
  std::array<std::size_t, kDeepest> keys{};  // of the objects that are open
  std::size_t depth = 0;
  bool is_string = false;  // the last thing read, which a colon makes a key
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = at + text.size();
  while (at != end) {
    switch (*at++) {
      case '"': {
        Text string;
        at = string.read(at, end);
        extent.characters += string.bytes();
        extent.longest = std::max(extent.longest, string.bytes());
        ++extent.strings;
        is_string = true;
        break;
      }
      case ':':
        if (is_string) {
          --extent.strings;
          ++extent.keys;
          if (depth - 1 < kDeepest && ++keys[depth - 1] > JsonExtent::kRoomy) ++extent.crowded;
        }
        is_string = false;
        break;
      case '{':
      case '[':
        if (depth < kDeepest) keys[depth] = 0;
        extent.depth = std::max(extent.depth, ++depth);
        ++extent.containers;
        is_string = false;
        break;
      case '}':
      case ']':
        depth -= depth > 0;
        is_string = false;
        break;
      case ',':
        ++extent.commas;
        is_string = false;
        break;
      default:  // numbers, words and space
        while (at != end && kDull[*at]) ++at;
        break;
    }
  }
  return extent;
}

}  // namespace lissom
