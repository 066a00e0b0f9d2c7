// SPDX-License-Identifier: MIT
#include "core/skinning/weight_rows.h"

#include <algorithm>
#include <bit>

namespace lissom {
namespace {

constexpr std::uint32_t kEmptySlot = 0xFFFFFFFFu;

// Of 64 bits: the finaliser of MurmurHash3.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xFF51AFD7ED558CCDu;
  bits = (bits ^ (bits >> 33)) * 0xC4CEB9FE1A85EC53u;
  return bits ^ (bits >> 33);
}

std::uint64_t hash_of(std::span<const JointWeight> row) {
  std::uint64_t hash = row.size();
  for (const JointWeight& entry : row) {
    hash = mixed(hash ^ mixed(entry.joint ^ std::bit_cast<std::uint64_t>(entry.weight)));
  }
  return hash;
}

}  // namespace

WeightRows::WeightRows(std::span<const std::uint32_t> indices, std::span<const float> weights,
                       std::size_t influence_count) {
  const std::size_t vertex_count = weights.size() / influence_count;
  of_vertices_.resize(vertex_count);
  std::vector<std::uint32_t> slots(1024, kEmptySlot);
  std::vector<JointWeight> row;
  for (std::size_t vertex = 0; vertex < vertex_count; ++vertex) {
    row.clear();
    for (std::size_t k = vertex * influence_count; k < (vertex + 1) * influence_count; ++k) {
      if (weights[k] > 0) row.push_back({indices[k], weights[k]});
    }
    // By weight, too, so that the sum of a joint that occurs twice is the same in any order.
    std::sort(row.begin(), row.end(), [](const JointWeight& a, const JointWeight& b) {
      return a.joint != b.joint ? a.joint < b.joint : a.weight < b.weight;
    });
    std::size_t used = 0;
    for (const JointWeight& entry : row) {
      if (used > 0 && row[used - 1].joint == entry.joint) {
        row[used - 1].weight += entry.weight;
      } else {
        row[used++] = entry;
      }
    }
    row.resize(used);
    of_vertices_[vertex] = find_or_add(row, &slots);
  }
}

// `slots` is a hash table of row numbers with linear probing, its size a power of two.
std::uint32_t WeightRows::find_or_add(std::span<const JointWeight> row, std::vector<std::uint32_t>* slots) {
  const std::size_t last = slots->size() - 1;
  for (std::size_t at = hash_of(row) & last;; at = (at + 1) & last) {
    std::uint32_t& slot = (*slots)[at];
    if (slot != kEmptySlot) {
      if (std::ranges::equal((*this)[slot], row)) return slot;
      continue;
    }
    const auto added = static_cast<std::uint32_t>(count());
    slot = added;
    entries_.insert(entries_.end(), row.begin(), row.end());
    starts_.push_back(entries_.size());
    if (2 * count() > slots->size()) grow(slots);
    return added;
  }
}

void WeightRows::grow(std::vector<std::uint32_t>* slots) const {
  std::vector<std::uint32_t> larger(4 * slots->size(), kEmptySlot);
  const std::size_t last = larger.size() - 1;
  for (std::size_t row = 0; row < count(); ++row) {
    std::size_t at = hash_of((*this)[row]) & last;
    while (larger[at] != kEmptySlot) at = (at + 1) & last;
    larger[at] = static_cast<std::uint32_t>(row);
  }
  *slots = std::move(larger);
}

}  // namespace lissom
