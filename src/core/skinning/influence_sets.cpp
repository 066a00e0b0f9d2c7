// SPDX-License-Identifier: MIT
#include "core/skinning/influence_sets.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lissom {
namespace {

// Without a branch, which random rows would take as often as not.
void put_in_order(std::uint32_t* a, std::uint32_t* b) {
  const std::uint32_t swapped = (*a ^ *b) & (0u - static_cast<std::uint32_t>(*b < *a));
  *a ^= swapped, *b ^= swapped;
}

constexpr std::size_t kMostDigitBits = 11;  // counts of a digit stay in the nearest cache
constexpr std::size_t kFewItems = 512;      // below it, counting digits takes longer than comparing

// Sorts by the `bits` bits of key(item), digit by digit; equal ones keep their order.
template <class Item, class Key>
void sort_by_digits(LargeVector<Item>* items, std::size_t bits, const Key& key) {
  const std::size_t passes = std::max<std::size_t>(1, (bits + kMostDigitBits - 1) / kMostDigitBits);
  const std::size_t digit_bits = (bits + passes - 1) / passes, digits = std::size_t{1} << digit_bits;
  std::vector<std::uint32_t> counts(passes * digits);
  for (const Item& item : *items) {
    std::uint64_t rest = key(item);
    for (std::size_t pass = 0; pass < passes; ++pass, rest >>= digit_bits) {
      ++counts[pass * digits + (rest & (digits - 1))];
    }
  }
  LargeVector<Item> other(items->size());
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const auto ends = std::span(counts).subspan(pass * digits, digits);
    if (std::ranges::find(ends, items->size()) != ends.end()) continue;  // the same digit everywhere
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0u);
    for (const Item& item : *items) other[ends[key(item) >> (pass * digit_bits) & (digits - 1)]++] = item;
    items->swap(other);
  }
}

// Sorted items as vertices of sets.
template <class Item, class Vertex, class Same>
InfluenceSets::Sorted divided(const LargeVector<Item>& items, const Vertex& vertex, const Same& same) {
  InfluenceSets::Sorted sorted;
  sorted.vertices.resize(items.size());
  sorted.ends.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    sorted.vertices[i] = vertex(items[i]);
    if (i + 1 == items.size() || !same(items[i], items[i + 1])) {
      sorted.ends.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return sorted;
}

struct Keyed {
  std::uint64_t key;
  std::uint32_t vertex;
};

}  // namespace

InfluenceSets::InfluenceSets(const SkinnedMesh& mesh)
    : stride_(mesh.influence_count()),
      row_bits_(static_cast<std::size_t>(std::bit_width(mesh.row_count()))),
      rows_(stride_ * mesh.vertex_count()) {
  const SkinnedMesh::Arrays& arrays = mesh.arrays();
  const auto with_weights = [&](const auto* rows) {
    if (!arrays.weights.empty()) return gather(mesh, rows, arrays.weights.data());
    if (!arrays.byte_weights.empty()) return gather(mesh, rows, arrays.byte_weights.data());
    gather(mesh, rows, arrays.short_weights.data());
  };
  if (!arrays.indices.empty()) {
    with_weights(arrays.indices.data());
  } else if (!arrays.byte_indices.empty()) {
    with_weights(arrays.byte_indices.data());
  } else {
    with_weights(arrays.wide_indices.data());
  }
}

template <class Row, class Weight>
void InfluenceSets::gather(const SkinnedMesh& mesh, const Row* rows, const Weight* weights) {
  std::uint32_t* set = rows_.data();
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v, set += stride_, rows += stride_, weights += stride_) {
    const auto pivot = static_cast<std::uint32_t>(mesh.pivot(v));
    if (stride_ == 4) {
      // One of the four at least is the pivot.
      std::uint32_t others[4];
      for (std::size_t k = 0; k < 4; ++k) {
        const auto left_out = static_cast<std::uint32_t>(!(weights[k] > 0)) | (rows[k] == pivot);
        others[k] = rows[k] | (0u - left_out);
      }
      put_in_order(&others[0], &others[1]);
      put_in_order(&others[2], &others[3]);
      put_in_order(&others[0], &others[2]);
      put_in_order(&others[1], &others[3]);
      put_in_order(&others[1], &others[2]);
      set[0] = pivot, set[1] = others[0], set[2] = others[1], set[3] = others[2];
      const auto repeats = [](std::uint32_t a, std::uint32_t b) { return (a == b) & (a != kNone); };
      if (!(repeats(set[1], set[2]) | repeats(set[2], set[3]) | repeats(set[3], others[3]))) continue;
    }
    std::size_t size = 1;
    set[0] = pivot;
    for (std::size_t k = 0; k < stride_; ++k) {
      if (weights[k] > 0 && rows[k] != pivot) set[size++] = rows[k];
    }
    std::sort(set + 1, set + size);
    std::fill(std::unique(set + 1, set + size), set + stride_, kNone);
  }
  // The largest set.
  while (largest_ < stride_) {
    bool is_larger = false;
    for (std::size_t i = largest_; i < rows_.size() && !is_larger; i += stride_)
      is_larger = rows_[i] != kNone;
    if (!is_larger) break;
    ++largest_;
  }
}

// A set as one number, in the order of the sets: its rows from the highest bits on, each plus 1, so that a set comes
// before those that it begins.
std::uint64_t InfluenceSets::key(std::uint32_t vertex) const {
  const std::uint32_t* set = &rows_[stride_ * vertex];
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < largest_; ++i) {
    key = key << row_bits_ | static_cast<std::uint32_t>(set[i] + 1);  // 0 for kNone
  }
  return key;
}

InfluenceSets::Sorted InfluenceSets::sorted(std::uint32_t begin, std::uint32_t end) const {
  const std::size_t key_bits = row_bits_ * largest_;
  const auto vertex_bits = static_cast<std::size_t>(std::bit_width(end));
  if (key_bits + vertex_bits <= 64) {
    LargeVector<std::uint64_t> items(end - begin);
    for (std::uint32_t v = begin; v < end; ++v) items[v - begin] = key(v) << vertex_bits | v;
    const auto key_of = [&](std::uint64_t item) { return item >> vertex_bits; };
    const auto vertex_of = [&](std::uint64_t item) {
      return static_cast<std::uint32_t>(item & ((std::uint64_t{1} << vertex_bits) - 1));
    };
    if (items.size() < kFewItems) {
      std::ranges::sort(items);
    } else {
      sort_by_digits(&items, key_bits, key_of);
    }
    return divided(items, vertex_of,
                   [&](std::uint64_t a, std::uint64_t b) { return key_of(a) == key_of(b); });
  }
  if (key_bits <= 64) {
    LargeVector<Keyed> items(end - begin);
    for (std::uint32_t v = begin; v < end; ++v) items[v - begin] = {key(v), v};
    sort_by_digits(&items, key_bits, [](const Keyed& item) { return item.key; });
    return divided(
        items, [](const Keyed& item) { return item.vertex; },
        [](const Keyed& a, const Keyed& b) { return a.key == b.key; });
  }
  LargeVector<std::uint32_t> items(end - begin);
  std::iota(items.begin(), items.end(), begin);
  std::ranges::sort(items, [&](std::uint32_t a, std::uint32_t b) {
    const auto rows = of(a), others = of(b);
    const auto order =
        std::lexicographical_compare_three_way(rows.begin(), rows.end(), others.begin(), others.end());
    return order < 0 || (order == 0 && a < b);
  });
  return divided(
      items, [](std::uint32_t v) { return v; },
      [&](std::uint32_t a, std::uint32_t b) { return std::ranges::equal(of(a), of(b)); });
}

}  // namespace lissom
