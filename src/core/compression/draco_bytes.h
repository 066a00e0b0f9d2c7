// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/error.h"

namespace lissom {

// The bytes of a Draco stream, taken one after another. The first fault stays, as a sentence; from then on there are no
// bytes left, and what is read is zero: readers look at `failed` before they loop over what they read.
// Source: Google, Draco bitstream specification 2.2, https://google.github.io/draco/spec/, Core Functions.
class DracoBytes {
 public:
  explicit DracoBytes(std::span<const std::uint8_t> data) : data_(data) {}

  bool failed() const { return !fault_.empty(); }
  Error error() const { return failed() ? Error(fault_) : Error(); }
  std::size_t left() const { return data_.size() - at_; }
  std::span<const std::uint8_t> rest() const { return data_.subspan(at_); }

  void refuse(const std::string& sentence) {
    if (!failed()) fault_ = sentence;
    at_ = data_.size();
  }
  // What the stream must have, where it has something else.
  void refuse_damaged(const std::string& what) {
    refuse("the Draco stream must have " + what + "; it is damaged");
  }
  void refuse_cut() {
    refuse("the Draco stream must be whole, got its end at byte " + std::to_string(data_.size()) +
           "; it is cut off");
  }

  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > left()) {
      refuse_cut();
      return {};
    }
    const auto taken = data_.subspan(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }
  std::uint8_t byte() {
    const auto taken = take(1);
    return taken.empty() ? std::uint8_t{0} : taken[0];
  }
  std::int8_t signed_byte() { return static_cast<std::int8_t>(byte()); }
  std::uint32_t word() {  // the lowest byte first
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= std::uint32_t{byte()} << shift;
    return value;
  }
  // LEB128: seven bits a byte, the lowest first.
  std::uint64_t long_varint(int bits = 64) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < bits; shift += 7) {
      const std::uint8_t one = byte();
      if (shift > bits - 7 && (one & 127) >> (bits - shift) != 0) break;
      value |= std::uint64_t{one & 127u} << shift;
      if (one < 128) return value;
    }
    refuse_damaged("numbers of at most " + std::to_string(bits) + " bits");
    return 0;
  }
  std::uint32_t varint() { return static_cast<std::uint32_t>(long_varint(32)); }

 private:
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
  std::string fault_;
};

}  // namespace lissom
