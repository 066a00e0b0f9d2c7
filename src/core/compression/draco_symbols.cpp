// SPDX-License-Identifier: MIT
#include "core/compression/draco_symbols.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

namespace lissom {
namespace {

constexpr std::uint8_t kTagged = 0, kRaw = 1;  // how symbols are coded
constexpr int kTagBits = 5;                    // of the symbols that say how many bits each value has
constexpr std::uint32_t kMostValueBits = 32;
constexpr int kMostSymbolBits = 18;
constexpr std::uint32_t kMostSymbols = std::uint32_t{1} << kMostSymbolBits;
constexpr std::uint8_t kZeros = 3;  // in a table of probabilities: this symbol and the next have none

// The state that coded bytes begin with, which is at their end, and how many bytes it takes; 0 where there is none.
struct Start {
  std::uint32_t state = 0;
  std::size_t size = 0;
};

Start start_of(std::span<const std::uint8_t> data, std::uint32_t base, std::size_t most) {
  if (data.empty() || data.size() > std::numeric_limits<std::int32_t>::max()) return {};
  const std::size_t size = (data.back() >> 6) + std::size_t{1};
  if (size > most || size > data.size()) return {};
  std::uint32_t state = 0;
  for (std::size_t i = 0; i < size; ++i) state |= std::uint32_t{data[data.size() - size + i]} << (8 * i);
  state = base + (state & ((std::uint32_t{1} << (8 * size - 2)) - 1));
  return state < base << 8 ? Start{state, size} : Start{};
}

// Of how many bits the probabilities of symbols are.
int precision_of(int symbol_bits) { return std::clamp(3 * symbol_bits / 2, 12, 20); }

// The probabilities of symbols, which say how long their table is.
std::vector<std::uint32_t> read_table(DracoBytes& bytes, int precision) {
  const std::uint32_t count = bytes.varint();
  if (bytes.failed()) return {};
  if (count == 0 || count > kMostSymbols) {
    bytes.refuse_damaged("1 to " + std::to_string(kMostSymbols) + " different symbols, got " +
                         std::to_string(count));
    return {};
  }
  std::vector<std::uint32_t> table;
  table.reserve(count);
  while (table.size() < count && !bytes.failed()) {
    const std::uint8_t first = bytes.byte();
    if ((first & 3) == kZeros) {
      const std::size_t zeros = (first >> 2) + std::size_t{1};
      if (zeros > count - table.size()) break;
      table.insert(table.end(), zeros, 0);
      continue;
    }
    std::uint32_t value = first >> 2;
    for (int place = 0; place < (first & 3); ++place) {
      value |= std::uint32_t{bytes.byte()} << (8 * place + 6);
    }
    table.push_back(value);
  }
  const std::uint64_t sum = std::accumulate(table.begin(), table.end(), std::uint64_t{0});
  if (table.size() < count || sum != std::uint64_t{1} << precision) {
    bytes.refuse_damaged("probabilities that add up to 1 for " + std::to_string(count) + " symbols");
    return {};
  }
  return table;
}

// Symbols decoded from the last byte to the first.
class Symbols {
 public:
  Symbols(DracoBytes& bytes, const std::vector<std::uint32_t>& table, int precision)
      : precision_(precision), base_(std::uint32_t{4} << precision) {
    data_ = bytes.take(bytes.long_varint());
    const Start start = start_of(data_, base_, 4);
    if (start.size == 0) {
      bytes.refuse_damaged("a state to begin its symbols with");
      return;
    }
    state_ = start.state;
    at_ = data_.size() - start.size;
    of_remainder_.reserve(std::size_t{1} << precision);
    probabilities_.reserve(table.size());
    for (std::uint32_t symbol = 0; symbol < table.size(); ++symbol) {
      probabilities_.push_back({table[symbol], static_cast<std::uint32_t>(of_remainder_.size())});
      of_remainder_.insert(of_remainder_.end(), table[symbol], symbol);
    }
  }

  std::uint32_t next() {
    while (state_ < base_ && at_ > 0) state_ = state_ << 8 | data_[--at_];
    const std::uint32_t remainder = state_ & ((std::uint32_t{1} << precision_) - 1);
    const std::uint32_t symbol = of_remainder_[remainder];
    const auto [probability, first] = probabilities_[symbol];
    state_ = (state_ >> precision_) * probability + remainder - first;
    return symbol;
  }

 private:
  struct Probability {
    std::uint32_t value, first;  // and the remainder it begins at
  };
  int precision_;
  std::uint32_t base_;
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
  std::uint32_t state_ = 0;
  std::vector<std::uint32_t> of_remainder_;
  std::vector<Probability> probabilities_;
};

std::uint8_t clamped(std::uint64_t value) {
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 255));
}

// `bits` of the bytes from bit `at` on, the lowest first.
std::uint64_t bits_of(std::span<const std::uint8_t> data, std::uint64_t at, std::uint32_t bits) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bits; ++i, ++at) {
    value |= std::uint64_t{data[static_cast<std::size_t>(at >> 3)] >> (at & 7) & 1u} << i;
  }
  return value;
}

// Where `out` is given, components are 1.
void pass(DracoBytes& bytes, std::uint64_t count, std::uint32_t components, std::uint8_t* out) {
  if (count == 0) return;  // not even how they are coded is there
  const std::uint8_t form = bytes.byte();
  if (bytes.failed()) return;
  if (form == kRaw) {
    const int symbol_bits = bytes.byte();
    if (bytes.failed()) return;
    if (symbol_bits < 1 || symbol_bits > kMostSymbolBits) {
      return bytes.refuse_damaged("symbols of 1 to " + std::to_string(kMostSymbolBits) + " bits, got " +
                                  std::to_string(symbol_bits));
    }
    const int precision = precision_of(symbol_bits);
    const std::vector<std::uint32_t> table = read_table(bytes, precision);
    if (out == nullptr) {
      bytes.take(bytes.long_varint());
      return;
    }
    if (bytes.failed()) return;
    Symbols symbols(bytes, table, precision);
    if (bytes.failed()) return;
    for (std::uint64_t i = 0; i < count; ++i) out[i] = clamped(symbols.next());
  } else if (form == kTagged) {
    const int precision = precision_of(kTagBits);
    const std::vector<std::uint32_t> table = read_table(bytes, precision);
    if (bytes.failed()) return;
    Symbols tags(bytes, table, precision);
    if (bytes.failed()) return;
    const std::span<const std::uint8_t> values = bytes.rest();
    const std::uint64_t most = 8 * std::uint64_t{values.size()};
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t bits = tags.next();
      if (bits > kMostValueBits) {
        return bytes.refuse_damaged("values of at most " + std::to_string(kMostValueBits) + " bits, got " +
                                    std::to_string(bits));
      }
      if (std::uint64_t{bits} * components > most - at) return bytes.refuse_cut();
      if (out != nullptr) out[i] = clamped(bits_of(values, at, bits));
      at += std::uint64_t{bits} * components;
    }
    bytes.take((at + 7) / 8);
  } else {
    bytes.refuse_damaged("symbols coded as 0 or 1, got " + std::to_string(form));
  }
}

}  // namespace

DracoBits::DracoBits(DracoBytes& bytes) {
  one_ = (256u - bytes.byte()) & 255;
  data_ = bytes.take(bytes.varint());
  const Start start = start_of(data_, kBase, 3);
  if (start.size == 0) bytes.refuse_damaged("a state to begin its bits with");
  state_ = start.state;
  at_ = data_.size() - start.size;
}

void pass_draco_symbols(DracoBytes& bytes, std::uint64_t count, std::uint32_t components) {
  pass(bytes, count, components, nullptr);
}

std::vector<std::uint8_t> read_draco_symbols(DracoBytes& bytes, std::uint32_t count) {
  std::vector<std::uint8_t> symbols(count);
  pass(bytes, count, 1, symbols.data());
  if (bytes.failed()) symbols.clear();
  return symbols;
}

}  // namespace lissom
