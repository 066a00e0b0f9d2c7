// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "core/players/player_state.h"

namespace lissom {

// Rows that nobody else can write, each with its number: users may edit the state from another thread, and what was
// checked must be what is used.
class OwnRows {
 public:
  // Room for `count` rows of `rows`, from number `begin_at` on, at first 0; `take` copies one of them.
  OwnRows(const PlayerRows& rows, std::size_t count)
      : bytes_(PlayerRows::bytes(rows.layer_capacity())),
        memory_(std::make_unique_for_overwrite<std::byte[]>(count * bytes_)),
        source_(rows),
        rows_(memory_.get(), count, rows.layer_capacity()) {}

  const PlayerRows& rows() const { return rows_; }
  void begin_at(std::size_t first_row) {
    rows_ = PlayerRows(memory_.get(), rows_.size(), rows_.layer_capacity(), first_row);
  }
  void take(std::size_t row) { std::memcpy(rows_.at(row), source_.at(row), bytes_); }
  void give_back(std::size_t row) const { std::memcpy(source_.at(row), rows_.at(row), bytes_); }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
  PlayerRows source_, rows_;
};

}  // namespace lissom
