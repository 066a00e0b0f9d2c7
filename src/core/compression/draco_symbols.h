// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compression/draco_bytes.h"

namespace lissom {

// Bits coded by how likely they are zero. Source: the specification (draco_bytes.h), rANS Decoding, RabsDescRead.
class DracoBits {
 public:
  DracoBits() = default;
  // Takes the bits from the stream; refuses those that the decoder refuses.
  explicit DracoBits(DracoBytes& bytes);

  bool next() {
    if (state_ < kBase && at_ > 0) state_ = state_ << 8 | data_[--at_];
    const std::uint32_t whole = (state_ >> 8) * one_, rest = state_ & 255;
    const bool is_one = rest < one_;
    state_ = is_one ? whole + rest : state_ - whole - one_;
    return is_one;
  }

 private:
  static constexpr std::uint32_t kBase = 4096;

  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
  std::uint32_t state_ = 0;
  std::uint32_t one_ = 0;  // in 256ths
};

// Passes `count` groups of `components` symbols, whose length only decoding tells where they are tagged. A table of
// more symbols than any encoder writes, 2^18, is refused: the decoder allocates 12 bytes for each, and one byte of the
// stream says 64. Source: the specification, rANS Decoding: DecodeSymbols, DecodeTaggedSymbols, DecodeRawSymbols.
void pass_draco_symbols(DracoBytes& bytes, std::uint64_t count, std::uint32_t components);

// The same, of one component each, decoded; those from 255 on become 255. Empty where the stream is refused.
std::vector<std::uint8_t> read_draco_symbols(DracoBytes& bytes, std::uint32_t count);

}  // namespace lissom
