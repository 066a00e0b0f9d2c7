// SPDX-License-Identifier: MIT
#include "core/skinning/influence_blocks.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/skinning/influence_sets.h"

namespace lissom {
namespace {

// The cost of a register's worth of vertices besides its rows, in rows: two streams read, moved and written.
constexpr std::size_t kMoveCost = 6;
constexpr std::size_t kCostWidth = 8;  // vertices of a register: the middle one of the instruction sets
static_assert(kPreparedBlock == 2 * kCostWidth);
// Incomplete blocks that a rare set may choose from, a bit of a number for each.
constexpr std::size_t kOpenBlocks = 64;

using Rows = std::span<const std::uint32_t>;
using Vertices = std::span<const std::uint32_t>;

void add_block(Rows rows, Vertices vertices, InfluenceBlocks* blocks) {
  blocks->rows.insert(blocks->rows.end(), rows.begin(), rows.end());
  blocks->vertices.insert(blocks->vertices.end(), vertices.begin(), vertices.end());
  blocks->first_row.push_back(blocks->rows.size());
  blocks->first_vertex.push_back(blocks->vertices.size());
}

// Sorts a few numbers, which differ: each goes to where it has as many before it as are lower. Without branches.
constexpr std::size_t kFew = 64;
void sort_few(std::span<std::uint32_t> numbers) {
  const std::size_t count = numbers.size();
  if (count > kFew) return std::sort(numbers.begin(), numbers.end());
  std::array<std::uint32_t, kFew> old;
  std::copy(numbers.begin(), numbers.end(), old.begin());
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t lower = 0;
    for (std::size_t j = 0; j < count; ++j) lower += old[j] < old[i];
    numbers[lower] = old[i];
  }
}

// Blocks of one pivot that are not complete, in a ring, the oldest first. Of each the cost is
// registers * (kMoveCost + rows); a set joins the one whose cost grows least, the oldest of equal ones, if that is less
// than the cost of a block of its own.
class OpenBlocks {
 public:
  OpenBlocks(std::size_t row_count, std::size_t set_size)
      : holders_(row_count),
        row_stride_(2 + kPreparedBlock * (set_size - 1)),
        rows_(kOpenBlocks * row_stride_) {}

  // Puts a set of fewer than kPreparedBlock vertices into a block. Where there are too many then, the oldest becomes one
  // of `closed`.
  void put(Rows rows, Vertices vertices, InfluenceBlocks* closed) {
    count_missing(rows);
    std::size_t slot = vertices.size() <= kCostWidth ? find_in_registers(rows.size(), vertices.size())
                                                     : find_wider(rows.size(), vertices.size());
    if (slot == kOpenBlocks) {
      if (end_ - first_ == kOpenBlocks) close_oldest(closed);
      slot = end_++ % kOpenBlocks;
    }
    Block& block = blocks_[slot];
    const std::uint64_t bit = std::uint64_t{1} << slot;
    std::uint32_t* own_rows = &rows_[row_stride_ * slot];
    for (const std::uint32_t row : rows) {
      own_rows[block.row_count] = row;  // to stay if it is new
      block.row_count += !(holders_[row] & bit);
      holders_[row] |= bit;
    }
    const std::size_t count = block.vertex_count;
    for (const std::uint32_t vertex : vertices) block.vertices[block.vertex_count++] = vertex;
    change_room(slot, count, block.vertex_count);
  }
  void close(InfluenceBlocks* closed) {
    while (first_ < end_) close_oldest(closed);
  }

 private:
  struct Block {
    std::size_t row_count = 0, vertex_count = 0;
    std::array<std::uint32_t, kPreparedBlock> vertices;
  };

  // How many of the rows each block does not have, as bits of numbers: missing_[0] has the lowest of each block.
  void count_missing(Rows rows) {
    planes_ = static_cast<std::size_t>(std::bit_width(rows.size() - 1));
    std::fill_n(missing_.begin(), planes_, 0);
    for (const std::uint32_t row : rows.subspan(1)) {  // all have the pivot
      std::uint64_t carry = ~holders_[row];
      for (std::size_t i = 0; i < planes_; ++i) {
        const std::uint64_t both = missing_[i] & carry;
        missing_[i] ^= carry;
        carry = both;
      }
    }
  }
  std::uint64_t with_missing(std::size_t count) const {
    std::uint64_t blocks = ~std::uint64_t{0};
    for (std::size_t i = 0; i < planes_; ++i) blocks &= count >> i & 1 ? missing_[i] : ~missing_[i];
    return blocks;
  }

  // Where a set fits into the registers that a block has, its rows alone add to the cost. Another register costs as much
  // as a block of the set's own, or more, so no other block is asked. kOpenBlocks: none is better than one of its own.
  std::size_t find_in_registers(std::size_t row_count, std::size_t vertex_count) const {
    if (vertex_count == kCostWidth) return kOpenBlocks;
    const std::uint64_t one = room_[0][vertex_count], two = room_[1][vertex_count];
    if (!(one | two)) return kOpenBlocks;
    const std::size_t own_cost = kMoveCost + row_count, most_missing = row_count - 1;
    for (std::size_t added = 0; added < own_cost && added <= 2 * most_missing; ++added) {
      std::uint64_t blocks = added <= most_missing ? one & with_missing(added) : 0;
      if (added % 2 == 0) blocks |= two & with_missing(added / 2);
      if (blocks) return oldest(blocks);
    }
    return kOpenBlocks;
  }
  // The same for sets that fill more than a register: any block that has room gets a second one.
  std::size_t find_wider(std::size_t row_count, std::size_t vertex_count) const {
    std::size_t best = kOpenBlocks, best_cost = 2 * (kMoveCost + row_count);
    for (std::size_t i = first_; i < end_; ++i) {
      const std::size_t slot = i % kOpenBlocks;
      const Block& block = blocks_[slot];
      if (block.vertex_count + vertex_count > kPreparedBlock) continue;
      std::size_t missing = 0;
      for (std::size_t plane = 0; plane < planes_; ++plane) missing |= (missing_[plane] >> slot & 1) << plane;
      const std::size_t added = 2 * (kMoveCost + block.row_count + missing) - (kMoveCost + block.row_count);
      if (added < best_cost) best = slot, best_cost = added;
    }
    return best;
  }
  std::size_t oldest(std::uint64_t blocks) const {
    const std::size_t first = first_ % kOpenBlocks;
    const int later = std::countr_zero(std::rotr(blocks, static_cast<int>(first)));
    return (first + static_cast<std::size_t>(later)) % kOpenBlocks;
  }

  static std::size_t registers_of(std::size_t count) { return (count + kCostWidth - 1) / kCostWidth; }
  static std::size_t room_of(std::size_t count) { return kCostWidth * registers_of(count) - count; }
  // Notes that a block has `to` vertices, and had `from`.
  void change_room(std::size_t slot, std::size_t from, std::size_t to) {
    const std::uint64_t bit = std::uint64_t{1} << slot;
    const bool is_same = registers_of(from) == registers_of(to);
    for (std::size_t room = is_same ? room_of(to) + 1 : 1; room <= room_of(from); ++room) {
      room_[registers_of(from) - 1][room] &= ~bit;
    }
    for (std::size_t room = is_same ? 0 : room_of(to); room > 0; --room) {
      room_[registers_of(to) - 1][room] |= bit;
    }
  }
  void close_oldest(InfluenceBlocks* closed) {
    const std::size_t slot = first_++ % kOpenBlocks;
    Block& block = blocks_[slot];
    change_room(slot, block.vertex_count, 0);
    const auto rows = std::span(rows_).subspan(row_stride_ * slot, block.row_count);
    for (const std::uint32_t row : rows) holders_[row] &= ~(std::uint64_t{1} << slot);
    const auto vertices = std::span(block.vertices).first(block.vertex_count);
    sort_few(rows.subspan(1));
    sort_few(vertices);
    add_block(rows, vertices, closed);
    block.row_count = block.vertex_count = 0;
  }

  std::vector<std::uint64_t> holders_;  // per row the blocks that have it
  std::size_t row_stride_;
  std::vector<std::uint32_t> rows_;  // (kOpenBlocks, row_stride_)
  std::array<Block, kOpenBlocks> blocks_;
  // The blocks of one register and of two with room for at least so many vertices.
  std::array<std::array<std::uint64_t, kCostWidth>, 2> room_{};
  std::array<std::uint64_t, 32> missing_{};
  std::size_t planes_ = 0;
  std::size_t first_ = 0, end_ = 0;  // block i is in slot i % kOpenBlocks
};

// Vertices of one set, fewer than kPreparedBlock.
struct RareSet {
  Rows rows;
  Vertices vertices;
};

// Puts the rare sets of one pivot into blocks: sets of many rows first, so that those with fewer can join them.
void join_rare(std::vector<RareSet>* rare, OpenBlocks* open, InfluenceBlocks* blocks) {
  std::size_t most = 0;
  for (const RareSet& set : *rare) most = std::max(most, set.rows.size());
  for (std::size_t next = 0, size = most; size > 0; size = next) {
    next = 0;
    for (const RareSet& set : *rare) {
      if (set.rows.size() == size) open->put(set.rows, set.vertices, blocks);
      if (set.rows.size() < size) next = std::max(next, set.rows.size());
    }
  }
  open->close(blocks);
  rare->clear();
}

// Divides vertices that are sorted by their sets into blocks.
void cut(const InfluenceSets& sets, const InfluenceSets::Sorted& sorted, OpenBlocks* open,
         InfluenceBlocks* blocks) {
  std::vector<RareSet> rare;
  constexpr std::size_t kAhead = 8;  // sets, whose rows are on their way from memory
  std::size_t begin = 0;
  for (std::size_t set = 0; set < sorted.ends.size(); ++set) {
    const std::size_t end = sorted.ends[set];
    if (set + kAhead < sorted.ends.size()) sets.prefetch(sorted.vertices[sorted.ends[set + kAhead] - 1]);
    const Rows rows = sets.of(sorted.vertices[end - 1]);
    if (!rare.empty() && rare.front().rows.front() != rows.front()) join_rare(&rare, open, blocks);
    for (; end - begin >= kPreparedBlock; begin += kPreparedBlock) {
      add_block(rows, Vertices(sorted.vertices).subspan(begin, kPreparedBlock), blocks);
    }
    if (begin < end) rare.push_back({rows, Vertices(sorted.vertices).subspan(begin, end - begin)});
    begin = end;
  }
  join_rare(&rare, open, blocks);
}

// The blocks in the order of their first vertices.
InfluenceBlocks in_order(const InfluenceBlocks& blocks, std::size_t vertex_count) {
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> block_at(vertex_count, kNone);  // by first vertices
  const std::size_t block_count = blocks.first_vertex.size() - 1;
  for (std::size_t b = 0; b < block_count; ++b) {
    block_at[blocks.vertices[blocks.first_vertex[b]]] = static_cast<std::uint32_t>(b);
  }
  InfluenceBlocks sorted;
  sorted.vertices.reserve(blocks.vertices.size());
  sorted.rows.reserve(blocks.rows.size());
  sorted.first_vertex.reserve(block_count + 1);
  sorted.first_row.reserve(block_count + 1);
  for (const std::uint32_t b : block_at) {
    if (b == kNone) continue;
    const auto rows = Rows(blocks.rows).subspan(blocks.first_row[b]);
    const auto vertices = Vertices(blocks.vertices).subspan(blocks.first_vertex[b]);
    add_block(rows.first(blocks.first_row[b + 1] - blocks.first_row[b]),
              vertices.first(blocks.first_vertex[b + 1] - blocks.first_vertex[b]), &sorted);
  }
  return sorted;
}

}  // namespace

InfluenceBlocks sort_by_influences(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts) {
  const auto vertex_count = static_cast<std::uint32_t>(mesh.vertex_count());
  const InfluenceSets sets(mesh);
  std::vector<std::uint32_t> ends(cuts.begin(), cuts.end());
  ends.push_back(vertex_count);
  std::sort(ends.begin(), ends.end());

  OpenBlocks open(mesh.row_count(), sets.stride());
  InfluenceBlocks blocks;
  blocks.vertices.reserve(vertex_count);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    if (end <= begin || end > vertex_count) continue;
    cut(sets, sets.sorted(begin, end), &open, &blocks);
    begin = end;
  }
  return in_order(blocks, vertex_count);
}

}  // namespace lissom
