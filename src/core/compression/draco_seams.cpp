// SPDX-License-Identifier: MIT
#include "core/compression/draco_seams.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lissom {
namespace {

// Counts ends of edges at which a vertex is cut. An open vertex falls into one part more than it is cut, an inner one
// into as many, and at least one.
class Cuts {
 public:
  Cuts(const DracoCorners& table, std::vector<std::uint8_t>& counts)
      : vertex_(table.vertex.data()), is_open_(table.is_open.data()), counts_(counts.data()) {
    std::fill(counts.begin(), counts.end(), std::uint8_t{0});
  }

  void add_next(std::uint32_t corner) { add(vertex_[DracoCorners::next(corner)]); }
  void add_previous(std::uint32_t corner) { add(vertex_[DracoCorners::previous(corner)]); }
  // Which ends of an edge divide a vertex: 1 the next corner, 2 the other.
  std::uint8_t divided_ends(std::uint32_t corner) const {
    const unsigned next = divides(vertex_[DracoCorners::next(corner)]);
    const unsigned previous = divides(vertex_[DracoCorners::previous(corner)]);
    return static_cast<std::uint8_t>(next | previous << 1);
  }
  std::uint32_t parts() const { return parts_; }  // beyond one for each vertex

 private:
  void add(std::uint32_t vertex) {
    const std::uint8_t count = counts_[vertex];
    parts_ += (is_open_[vertex] | count) != 0;
    counts_[vertex] = count < 2 ? count + 1 : 2;
  }
  bool divides(std::uint32_t vertex) const { return is_open_[vertex] != 0 || counts_[vertex] > 1; }

  const std::uint32_t* vertex_;
  const std::uint8_t* is_open_;
  std::uint8_t* counts_;  // up to 2
  std::uint32_t parts_ = 0;
};

// The inner edges by the corner of the earlier face, as their bits come. They take the place of `opposite`, which is
// not needed afterwards: fresh memory would cost more than the loop. No face is glued to itself, so that they are half
// as many as glued corners at most.
std::span<const std::uint32_t> inner_edges(std::vector<std::uint32_t>& opposite) {
  // Of a face, by which of its corners (bits) have a later face across: these corners, then anything.
  static constexpr std::array<std::array<std::uint8_t, 3>, 8> kCorners = {
      {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 2, 0}, {1, 2, 0}, {0, 1, 2}}};
  static constexpr std::array<std::uint8_t, 8> kCounts = {0, 1, 1, 2, 1, 2, 2, 3};
  static_assert(static_cast<std::int32_t>(DracoCorners::kNone) < 0);  // below every face
  std::uint32_t* const edges = opposite.data();
  std::uint32_t count = 0;
  for (std::uint32_t face = 0; face < opposite.size(); face += 3) {
    const auto is_later = [&](std::uint32_t corner) {
      return unsigned{static_cast<std::int32_t>(edges[face + corner]) >= static_cast<std::int32_t>(face)};
    };
    const unsigned later = is_later(0) | is_later(1) << 1 | is_later(2) << 2;
    for (std::uint32_t i = 0; i < 3; ++i)
      edges[count + i] = face + kCorners[later][i];  // at most at `face + i`
    count += kCounts[later];
  }
  return std::span(opposite).first(count);
}

// The bits of so many sets of attributes for each edge, the first set's the lowest. Each bit of a set hangs on the one
// before: sets by turns take little longer than one alone.
// Returns which sets have any.
template <std::size_t kSets>
unsigned read_bits(const DracoBits* sets, std::vector<std::uint8_t>& bits) {
  std::array<DracoBits, kSets> readers;
  std::copy(sets, sets + kSets, readers.begin());
  unsigned any = 0;
  for (std::uint8_t& of_edge : bits) {
    unsigned read = 0;
    for (std::size_t set = 0; set < kSets; ++set) read |= static_cast<unsigned>(readers[set].next()) << set;
    of_edge = static_cast<std::uint8_t>(read);
    any |= read;
  }
  return any;
}

constexpr std::size_t kSetsAtOnce = 4;

unsigned read_bits(std::span<const DracoBits> sets, std::vector<std::uint8_t>& bits) {
  switch (sets.size()) {
    case 1:
      return read_bits<1>(sets.data(), bits);
    case 2:
      return read_bits<2>(sets.data(), bits);
    case 3:
      return read_bits<3>(sets.data(), bits);
    default:
      return read_bits<kSetsAtOnce>(sets.data(), bits);
  }
}

}  // namespace

void count_draco_seams(std::span<const DracoBits> sets, DracoCorners& corners, DracoSurface& surface) {
  const std::span<const std::uint32_t> edges = inner_edges(corners.opposite);
  surface.borders = static_cast<std::uint32_t>(corners.opposite.size() - 2 * edges.size());
  surface.points = surface.vertices;
  if (sets.empty()) return;
  std::vector<std::uint8_t> cut_ends(edges.size());  // of edges: where points differ
  std::vector<std::uint8_t> bits(edges.size());
  const std::span<std::uint32_t> seams = std::span(corners.opposite).subspan(edges.size(), edges.size());
  std::vector<std::uint8_t> counts(corners.leftmost.size());
  unsigned any = 0;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t place = set % kSetsAtOnce;
    if (place == 0) {
      const std::size_t several = std::min(kSetsAtOnce, sets.size() - set);
      any = read_bits(sets.subspan(set, several), bits);
    }
    surface.seamed[set] = {0, surface.vertices};
    if ((any >> place & 1) == 0) continue;
    std::uint32_t count = 0;
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
      seams[count] = edge;
      count += bits[edge] >> place & 1u;
    }
    Cuts cuts(corners, counts);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t corner = edges[seams[i]];
      cuts.add_next(corner);
      cuts.add_previous(corner);
    }
    for (std::uint32_t i = 0; i < count; ++i) cut_ends[seams[i]] |= cuts.divided_ends(edges[seams[i]]);
    surface.seamed[set] = {count, surface.vertices + cuts.parts()};
  }
  Cuts cuts(corners, counts);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    if ((cut_ends[edge] & 1) != 0) cuts.add_next(edges[edge]);
    if ((cut_ends[edge] & 2) != 0) cuts.add_previous(edges[edge]);
  }
  surface.points += cuts.parts();
}

}  // namespace lissom
