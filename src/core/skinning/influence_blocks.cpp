// SPDX-License-Identifier: MIT
#include "core/skinning/influence_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace lissom {
namespace {

// The cost of a register's worth of vertices besides its rows, in rows: two streams read, moved and written.
constexpr std::size_t kMoveCost = 6;
constexpr std::size_t kCostWidth = 8;  // vertices of a register: the middle one of the instruction sets
// Incomplete blocks that a rare set may choose from: keeps the preparation linear in the vertices.
constexpr std::size_t kOpenBlocks = 64;

struct Block {
  std::vector<std::uint32_t> rows, vertices;
};

std::size_t cost(std::size_t vertex_count, std::size_t row_count) {
  return (vertex_count + kCostWidth - 1) / kCostWidth * (kMoveCost + row_count);
}

// Per vertex the rows that have weight: the pivot, then the others, ascending.
class RowSets {
 public:
  explicit RowSets(const SkinnedMesh& mesh) {
    const std::size_t count = mesh.influence_count();
    first_.reserve(mesh.vertex_count() + 1);
    for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
      const auto pivot = static_cast<std::uint32_t>(mesh.pivot(v));
      const std::size_t first = rows_.size();
      rows_.push_back(pivot);
      for (std::size_t k = v * count; k < (v + 1) * count; ++k) {
        const auto row = static_cast<std::uint32_t>(mesh.row(k));
        if (mesh.weight(k) > 0 && row != pivot) rows_.push_back(row);
      }
      const auto others = rows_.begin() + static_cast<std::ptrdiff_t>(first) + 1;
      std::sort(others, rows_.end());
      rows_.erase(std::unique(others, rows_.end()), rows_.end());
      first_.push_back(rows_.size());
    }
  }
  std::span<const std::uint32_t> of(std::uint32_t vertex) const {
    return std::span(rows_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<std::uint32_t> rows_;
};

// A set as one number, in the order of the sets: its rows from the highest bits on, each plus 1, so that a set comes
// before those that it begins. Up to four rows of 16 bits; false for others.
constexpr std::size_t kKeyRows = 4;
bool make_key(std::span<const std::uint32_t> rows, std::uint64_t* key) {
  if (rows.size() > kKeyRows) return false;
  *key = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0xffff) return false;
    *key |= std::uint64_t{rows[i] + 1} << (16 * (kKeyRows - 1 - i));
  }
  return true;
}

struct Keyed {
  std::uint64_t key;
  std::uint32_t vertex;
};

// Sorts by the keys, byte by byte; equal ones keep their order.
void sort_keyed(std::vector<Keyed>* keyed) {
  constexpr int kBytes = 8;
  std::array<std::array<std::uint32_t, 256>, kBytes> counts{};
  for (const Keyed& one : *keyed) {
    for (int byte = 0; byte < kBytes; ++byte) ++counts[byte][one.key >> (8 * byte) & 0xff];
  }
  std::vector<Keyed> other(keyed->size());
  for (int byte = 0; byte < kBytes; ++byte) {
    auto& ends = counts[byte];
    if (std::ranges::find(ends, keyed->size()) != ends.end()) continue;  // the same byte everywhere
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0u);
    for (const Keyed& one : *keyed) other[ends[one.key >> (8 * byte) & 0xff]++] = one;
    keyed->swap(other);
  }
}

// Sorts vertices, which ascend, by their sets; those of the same set keep their order.
void sort_by_sets(const RowSets& sets, std::span<std::uint32_t> vertices) {
  std::vector<Keyed> keyed(vertices.size());
  bool has_keys = true;
  for (std::size_t i = 0; i < vertices.size() && has_keys; ++i) {
    keyed[i].vertex = vertices[i];
    has_keys = make_key(sets.of(vertices[i]), &keyed[i].key);
  }
  if (has_keys) {
    sort_keyed(&keyed);
    std::ranges::transform(keyed, vertices.begin(), &Keyed::vertex);
    return;
  }
  std::sort(vertices.begin(), vertices.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto rows = sets.of(a), others = sets.of(b);
    const auto order =
        std::lexicographical_compare_three_way(rows.begin(), rows.end(), others.begin(), others.end());
    return order < 0 || (order == 0 && a < b);
  });
}

// The number of rows in the union of two sets with the same pivot.
std::size_t joined_count(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t i = 1, j = 1, common = 1;
  while (i < a.size() && j < b.size()) {
    common += a[i] == b[j];
    const std::uint32_t lower = std::min(a[i], b[j]);
    i += a[i] == lower;
    j += b[j] == lower;
  }
  return a.size() + b.size() - common;
}
std::vector<std::uint32_t> joined(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::vector<std::uint32_t> rows{a.front()};
  rows.reserve(a.size() + b.size());
  std::set_union(a.begin() + 1, a.end(), b.begin() + 1, b.end(), std::back_inserter(rows));
  return rows;
}

// A bit for each row, some rows share: a union has no fewer rows than bits.
std::uint64_t bits_of(std::span<const std::uint32_t> rows) {
  std::uint64_t bits = 0;
  for (const std::uint32_t row : rows) bits |= std::uint64_t{1} << (row % 64);
  return bits;
}

// The vertices of one set, fewer than kPreparedBlock, all of them from its first on.
struct RareSet {
  std::span<const std::uint32_t> rows, vertices;
};

// Blocks that are not complete, the oldest first.
class OpenBlocks {
 public:
  // Puts a set into the block that it costs least in, or into one of its own. Where there are too many then, the oldest
  // becomes one of `blocks`.
  void put(const RareSet& set, std::vector<Block>* blocks) {
    const std::uint64_t bits = bits_of(set.rows);
    const std::size_t best = find_best(set, bits);
    if (best < end_) {
      Block& block = blocks_[best];
      Summary& summary = summaries_[best];
      if (summary.bits != (summary.bits | bits) || joined_count(block.rows, set.rows) != block.rows.size()) {
        block.rows = joined(block.rows, set.rows);
      }
      block.vertices.insert(block.vertices.end(), set.vertices.begin(), set.vertices.end());
      summary = summary_of(block, summary.bits | bits);
      return;
    }
    if (end_ - first_ == kOpenBlocks) blocks->push_back(std::move(blocks_[first_++]));
    if (end_ == blocks_.size()) close_ranks();
    Block& block = blocks_[end_];
    block.rows.assign(set.rows.begin(), set.rows.end());
    block.vertices.reserve(kPreparedBlock);
    block.vertices.assign(set.vertices.begin(), set.vertices.end());
    summaries_[end_++] = summary_of(block, bits);
  }
  void close(std::vector<Block>* blocks) {
    while (first_ < end_) blocks->push_back(std::move(blocks_[first_++]));
    first_ = end_ = 0;
  }

 private:
  // What rules most blocks out, side by side in memory.
  struct Summary {
    std::uint64_t bits;
    std::size_t vertex_count, row_count, cost;
  };
  static Summary summary_of(const Block& block, std::uint64_t bits) {
    return {bits, block.vertices.size(), block.rows.size(), cost(block.vertices.size(), block.rows.size())};
  }

  // end_: none is better than one of its own.
  std::size_t find_best(const RareSet& set, std::uint64_t bits) const {
    std::size_t best = end_, best_cost = cost(set.vertices.size(), set.rows.size());
    for (std::size_t i = first_; i < end_ && best_cost > 0; ++i) {
      const Summary& summary = summaries_[i];
      const std::size_t count = summary.vertex_count + set.vertices.size();
      if (count > kPreparedBlock) continue;
      // No union has fewer rows than the larger set, or than bits: most blocks need no more than this.
      const std::size_t least = std::max(summary.row_count, set.rows.size());
      if (cost(count, least) - summary.cost >= best_cost) continue;
      const auto bit_count = static_cast<std::size_t>(std::popcount(summary.bits | bits));
      if (cost(count, std::max(least, bit_count)) - summary.cost >= best_cost) continue;
      const std::size_t added = cost(count, joined_count(blocks_[i].rows, set.rows)) - summary.cost;
      if (added < best_cost) best = i, best_cost = added;
    }
    return best;
  }
  // Moves the blocks to the beginning of the memory.
  void close_ranks() {
    std::move(blocks_.begin() + static_cast<std::ptrdiff_t>(first_), blocks_.end(), blocks_.begin());
    std::copy(summaries_.begin() + static_cast<std::ptrdiff_t>(first_), summaries_.end(), summaries_.begin());
    end_ -= first_, first_ = 0;
  }

  std::array<Block, 2 * kOpenBlocks> blocks_;
  std::array<Summary, 2 * kOpenBlocks> summaries_;
  std::size_t first_ = 0, end_ = 0;
};

// Puts the rare sets of one pivot into blocks: sets of many rows first, so that those with fewer can join them.
void join_rare(std::vector<RareSet>* rare, OpenBlocks* open, std::vector<Block>* blocks) {
  std::stable_sort(rare->begin(), rare->end(),
                   [](const RareSet& a, const RareSet& b) { return a.rows.size() > b.rows.size(); });
  for (const RareSet& set : *rare) open->put(set, blocks);
  open->close(blocks);
  rare->clear();
}

// Divides `vertices`, which are between two cuts, into blocks.
std::vector<Block> cut(const RowSets& sets, std::span<std::uint32_t> vertices) {
  sort_by_sets(sets, vertices);
  std::vector<Block> blocks;
  std::vector<RareSet> rare;
  OpenBlocks open;
  for (std::size_t begin = 0; begin < vertices.size();) {
    const auto rows = sets.of(vertices[begin]);
    if (!rare.empty() && rare.front().rows.front() != rows.front()) join_rare(&rare, &open, &blocks);
    std::size_t end = begin + 1;
    while (end < vertices.size() && end - begin < kPreparedBlock &&
           std::ranges::equal(rows, sets.of(vertices[end]))) {
      ++end;
    }
    const auto block = vertices.subspan(begin, end - begin);
    if (end - begin == kPreparedBlock) {
      blocks.push_back({{rows.begin(), rows.end()}, {block.begin(), block.end()}});
    } else {
      rare.push_back({rows, block});
    }
    begin = end;
  }
  join_rare(&rare, &open, &blocks);
  for (Block& block : blocks) std::sort(block.vertices.begin(), block.vertices.end());
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.vertices.front() < b.vertices.front(); });
  return blocks;
}

}  // namespace

InfluenceBlocks sort_by_influences(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts) {
  const auto vertex_count = static_cast<std::uint32_t>(mesh.vertex_count());
  const RowSets sets(mesh);
  std::vector<std::uint32_t> vertices(vertex_count);
  std::iota(vertices.begin(), vertices.end(), 0u);
  std::vector<std::uint32_t> ends(cuts.begin(), cuts.end());
  ends.push_back(vertex_count);
  std::sort(ends.begin(), ends.end());

  InfluenceBlocks sorted;
  sorted.vertices.reserve(vertex_count);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (end <= begin || end > vertex_count) continue;
    for (const Block& block : cut(sets, std::span(vertices).subspan(begin, end - begin))) {
      sorted.vertices.insert(sorted.vertices.end(), block.vertices.begin(), block.vertices.end());
      sorted.rows.insert(sorted.rows.end(), block.rows.begin(), block.rows.end());
      sorted.first_vertex.push_back(sorted.vertices.size());
      sorted.first_row.push_back(sorted.rows.size());
    }
    begin = end;
  }
  return sorted;
}

}  // namespace lissom
