// SPDX-License-Identifier: MIT
#include "core/compression/draco_surface.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/compression/draco_corners.h"
#include "core/compression/draco_seams.h"
#include "core/compression/draco_symbols.h"

namespace lissom {
namespace {

constexpr std::uint8_t kStandard = 0, kValence = 2;  // how the surface was walked
constexpr std::uint32_t kLeastValence = 2, kMostValence = 7;

// What the walk met at a triangle, by the letters of Rossignac's paper, in the order of their codes.
enum Symbol : std::uint8_t { kCenter, kSplit, kLeft, kRight, kEnd, kFirstInvalid };

// A handle or a hole: the edge of a triangle where a later split joins.
// Source: the specification, EdgeBreaker Decoder, ParseTopologySplitEvents.
struct SplitEvent {
  std::uint32_t source, split;  // symbols, counted from the last
  bool is_right;
};

std::vector<SplitEvent> read_events(DracoBytes& bytes, std::uint32_t faces) {
  std::vector<SplitEvent> events;
  const std::uint32_t count = bytes.varint();
  if (count > faces) bytes.refuse_damaged("as many events as triangles at most");
  std::uint64_t source = 0;
  for (std::uint32_t i = 0; i < count && !bytes.failed(); ++i) {
    source += bytes.varint();
    const std::uint64_t back = bytes.varint();
    if (back > source || source > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
      bytes.refuse_damaged("events at symbols that it has");
      break;
    }
    events.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(source - back), false});
  }
  const auto bits = bytes.take((std::uint64_t{count} + 7) / 8);
  if (bytes.failed()) return {};
  for (std::uint32_t i = 0; i < count; ++i) events[i].is_right = (bits[i >> 3] >> (i & 7) & 1) != 0;
  return events;
}

// The symbols of a walk, one after another.
class Walk {
 public:
  // Takes the symbols, and between them what both ways have there: which components begin inside, and the seams of each
  // set of attributes. Source: the specification, EdgebreakerTraversalStart, EdgeBreakerTraversalValenceStart.
  Walk(DracoBytes& bytes, std::uint8_t way, std::uint32_t symbols, std::uint32_t vertices, int sets)
      : by_valence_(way == kValence) {
    if (!by_valence_) {
      const std::uint64_t size = bytes.long_varint();
      bits_ = bytes.rest();  // the decoder does not stop at their end
      bytes.take(size);
    }
    begins_inside_ = DracoBits(bytes);
    for (int set = 0; set < sets && !bytes.failed(); ++set) seams.emplace_back(bytes);
    if (!by_valence_) return;
    valences_.resize(vertices);
    std::uint32_t left = symbols;
    for (auto& context : contexts_) {
      const std::uint32_t count = bytes.varint();
      if (count > left) {
        bytes.refuse_damaged("as many symbols as the " + std::to_string(symbols) + " of its walk at most");
      }
      if (bytes.failed()) return;
      left -= count;
      context = read_draco_symbols(bytes, count);
    }
  }

  Symbol next() {
    if (!by_valence_) {
      if (bit() == 0) return kCenter;
      const unsigned low = bit();
      return static_cast<Symbol>(kSplit + low + 2 * bit());
    }
    if (context_ == nullptr) return kEnd;
    if (context_->empty()) return kFirstInvalid;
    const std::uint8_t symbol = context_->back();
    context_->pop_back();
    return static_cast<Symbol>(std::min<std::uint8_t>(symbol, kFirstInvalid));
  }

  // Takes notice of the corner that a symbol made the active one. Source: the specification, NewActiveCornerReached.
  void reach(Symbol symbol, std::uint32_t corner, const DracoCorners& table) {
    if (!by_valence_) return;
    const std::uint32_t tip = table.vertex[corner];
    const std::uint32_t next = table.vertex[DracoCorners::next(corner)];
    const std::uint32_t previous = table.vertex[DracoCorners::previous(corner)];
    // How many edges each vertex gains.
    static constexpr std::array<std::array<std::uint8_t, 3>, 5> kGains = {
        {{0, 1, 1}, {0, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 2, 2}}};
    const auto& gains = kGains[symbol];
    gain(tip, gains[0]);
    gain(next, gains[1]);
    gain(previous, gains[2]);
    const std::uint32_t valence = std::clamp<std::uint32_t>(valences_[next], kLeastValence, kMostValence);
    context_ = &contexts_[valence - kLeastValence];
  }
  void merge(std::uint32_t into, std::uint32_t vertex) {
    if (by_valence_) gain(into, valences_[vertex]);
  }

  bool begins_inside() { return begins_inside_.next(); }

  std::vector<DracoBits> seams;

 private:
  // All from `kMostValence` on is alike, so that a byte will do.
  void gain(std::uint32_t vertex, std::uint32_t edges) {
    valences_[vertex] = static_cast<std::uint8_t>(std::min<std::uint32_t>(valences_[vertex] + edges, 255));
  }
  unsigned bit() {
    const std::size_t byte = at_ >> 3;
    return byte < bits_.size() ? bits_[byte] >> (at_++ & 7) & 1u : 0u;
  }

  bool by_valence_;
  std::span<const std::uint8_t> bits_;
  std::size_t at_ = 0;
  DracoBits begins_inside_;
  std::vector<std::uint8_t> valences_;
  std::array<std::vector<std::uint8_t>, kMostValence - kLeastValence + 1> contexts_;
  std::vector<std::uint8_t>* context_ = nullptr;
};

// Puts triangles together as the decoder does, from the last symbol to the first. Each step glues free edges alone and
// keeps the triangles of a vertex one fan, from its leftmost corner to the right, open until its ends meet: so each
// vertex has a border or none, and what is counted along edges is what the decoder counts around vertices.
// Source: the specification, DecodeEdgeBreakerConnectivity.
class SurfaceDecoder {
 public:
  SurfaceDecoder(Walk& walk, DracoCorners& table, std::vector<SplitEvent> events, std::uint32_t symbols)
      : walk_(walk), table_(table), events_(std::move(events)), symbols_(symbols) {}

  // False where the decoder refuses the walk. Fills the table; returns how many vertices were merged into others.
  bool decode(std::uint32_t* merged) {
    const auto faces = static_cast<std::uint32_t>(table_.vertex.size() / 3);
    std::uint32_t face = 0;
    for (; face < symbols_; ++face) {
      const Symbol symbol = walk_.next();
      if (!add(symbol, face)) return false;
      walk_.reach(symbol, active_.back(), table_);
      if (symbol >= kLeft && !find_events(face)) return false;
    }
    for (; !active_.empty(); active_.pop_back()) {
      if (!walk_.begins_inside()) continue;
      if (face >= faces || !close(active_.back(), 3 * face)) return false;
      ++face;
    }
    *merged = merged_;
    return face == faces;
  }

 private:
  // Adds a face at the active edge.
  bool add(Symbol symbol, std::uint32_t face) {
    const std::uint32_t corner = 3 * face;
    if (symbol == kEnd) {
      active_.push_back(corner);
      for (std::uint32_t i = 0; i < 3; ++i) table_.vertex[corner + i] = table_.add_vertex(corner + i);
      return table_.leftmost.size() <= table_.most;
    }
    if (active_.empty()) return false;
    switch (symbol) {
      case kCenter:
        return add_center(corner);
      case kLeft:
        return add_tip(corner, corner + 1, corner, corner + 2);
      case kRight:
        return add_tip(corner, corner + 2, corner + 1, corner);
      case kSplit:
        return add_split(corner, face);
      default:
        return false;
    }
  }

  // Between two edges of the border, whose common vertex becomes an inner one.
  bool add_center(std::uint32_t corner) {
    const std::uint32_t a = active_.back(), x = next_vertex(a);
    const std::uint32_t b = DracoCorners::next(table_.leftmost[x]);
    if (a == b || !table_.is_free(a) || !table_.is_free(b)) return false;
    const std::uint32_t before_a = previous_vertex(a), behind_b = next_vertex(b);
    if (x == before_a || x == behind_b) return false;
    table_.glue(a, corner + 1);
    table_.glue(b, corner + 2);
    table_.vertex[corner] = x;
    table_.vertex[corner + 1] = behind_b;
    table_.vertex[corner + 2] = before_a;
    table_.leftmost[before_a] = corner + 2;
    table_.is_open[x] = 0;
    active_.back() = corner;
    return true;
  }

  // With a new vertex at `tip`; the corners at its left and right come after.
  bool add_tip(std::uint32_t corner, std::uint32_t tip, std::uint32_t left, std::uint32_t right) {
    const std::uint32_t a = active_.back();
    if (!table_.is_free(a)) return false;
    table_.glue(tip, a);
    table_.vertex[tip] = table_.add_vertex(tip);
    if (table_.leftmost.size() > table_.most) return false;
    table_.vertex[right] = previous_vertex(a);
    table_.leftmost[table_.vertex[right]] = right;
    table_.vertex[left] = next_vertex(a);
    active_.back() = corner;
    return true;
  }

  // Between two active edges, of which a vertex each becomes one.
  bool add_split(std::uint32_t corner, std::uint32_t symbol) {
    const std::uint32_t b = active_.back();
    active_.pop_back();
    if (const auto event = split_corners_.find(symbol); event != split_corners_.end()) {
      active_.push_back(event->second);
    }
    if (active_.empty()) return false;
    const std::uint32_t a = active_.back();
    if (a == b || !table_.is_free(a) || !table_.is_free(b)) return false;
    table_.glue(a, corner + 2);
    table_.glue(b, corner + 1);
    const std::uint32_t kept = previous_vertex(a), lost = next_vertex(b), before_b = previous_vertex(b);
    table_.vertex[corner] = kept;
    table_.vertex[corner + 1] = next_vertex(a);
    table_.vertex[corner + 2] = before_b;
    table_.leftmost[before_b] = corner + 2;
    if (kept == lost) return false;  // its fan would close, which this symbol does not say
    walk_.merge(kept, lost);
    table_.leftmost[kept] = table_.leftmost[lost];
    for (std::uint32_t c = DracoCorners::next(b); c != DracoCorners::kNone; c = swing_left(c))
      table_.vertex[c] = kept;
    table_.leftmost[lost] = DracoCorners::kNone;
    table_.is_open[lost] = 0;
    ++merged_;
    active_.back() = corner;
    return true;
  }

  // The first face of a component, where that is an inner one: it closes a hole of three edges.
  bool close(std::uint32_t a, std::uint32_t corner) {
    const std::uint32_t n = next_vertex(a), b = DracoCorners::next(table_.leftmost[n]);
    const std::uint32_t x = next_vertex(b), c = DracoCorners::next(table_.leftmost[x]);
    if (a == b || a == c || b == c) return false;
    if (!table_.is_free(a) || !table_.is_free(b) || !table_.is_free(c)) return false;
    // The decoder closes larger holes, too, which no encoder leaves: vertices would have two names.
    const std::uint32_t p = next_vertex(c);
    if (p != previous_vertex(a)) return false;
    table_.glue(corner, a);
    table_.glue(corner + 1, b);
    table_.glue(corner + 2, c);
    table_.vertex[corner] = x;
    table_.vertex[corner + 1] = p;
    table_.vertex[corner + 2] = n;
    for (const std::uint32_t vertex : {n, x, p}) table_.is_open[vertex] = 0;
    return true;
  }

  // Remembers edges of the newest face where later splits join. Source: the specification, IsTopologySplit.
  bool find_events(std::uint32_t symbol) {
    const std::uint32_t from_last = symbols_ - symbol - 1;
    while (!events_.empty() && events_.back().source >= from_last) {
      const SplitEvent event = events_.back();
      if (event.source > from_last || event.split >= symbols_) return false;
      events_.pop_back();
      const std::uint32_t top = active_.back();
      split_corners_[symbols_ - event.split - 1] =
          event.is_right ? DracoCorners::next(top) : DracoCorners::previous(top);
    }
    return true;
  }

  std::uint32_t next_vertex(std::uint32_t corner) const { return table_.vertex[DracoCorners::next(corner)]; }
  std::uint32_t previous_vertex(std::uint32_t corner) const {
    return table_.vertex[DracoCorners::previous(corner)];
  }
  std::uint32_t swing_left(std::uint32_t corner) const {
    const std::uint32_t across = table_.opposite[DracoCorners::next(corner)];
    return across == DracoCorners::kNone ? DracoCorners::kNone : DracoCorners::next(across);
  }

  Walk& walk_;
  DracoCorners& table_;
  std::vector<SplitEvent> events_;
  std::uint32_t symbols_;
  std::vector<std::uint32_t> active_;  // corners whose edges the walk goes on from
  std::unordered_map<std::uint32_t, std::uint32_t> split_corners_;  // by the symbol that joins there
  std::uint32_t merged_ = 0;
};

}  // namespace

DracoSurface read_draco_surface(DracoBytes& bytes, std::uint64_t most_bytes) {
  DracoSurface surface;
  // Source: the specification, ParseEdgebreakerConnectivityData.
  const std::uint8_t way = bytes.byte();
  if (!bytes.failed() && way != kStandard && way != kValence) {
    bytes.refuse_damaged("walked its surface by way 0 or 2, got " + std::to_string(way));
  }
  const std::uint32_t vertices = bytes.varint(), faces = bytes.varint();
  const std::uint8_t sets = bytes.byte();
  const std::uint32_t symbols = bytes.varint(), splits = bytes.varint();
  if (bytes.failed()) return surface;
  if (!(splits <= symbols && symbols <= faces && vertices <= std::uint64_t{3} * faces &&
        faces <= std::uint32_t{std::numeric_limits<std::int32_t>::max()} / 4)) {
    bytes.refuse("the Draco stream must have as many symbols as its " + std::to_string(faces) +
                 " triangles at most, and splits among them, got " + std::to_string(symbols) + " and " +
                 std::to_string(splits) + "; it is damaged");
    return surface;
  }
  surface.faces = faces;
  surface.most_vertices = vertices + splits;
  surface.seamed.resize(sets);
  if (faces * (kDracoBytesPerFace + kDracoBytesPerSeamedFace * sets) > most_bytes) return surface;
  std::vector<SplitEvent> events = read_events(bytes, faces);
  if (bytes.failed()) return surface;
  Walk walk(bytes, way, symbols, surface.most_vertices, sets);
  if (bytes.failed()) return surface;
  DracoCorners table(faces, surface.most_vertices);
  std::uint32_t merged = 0;
  if (!SurfaceDecoder(walk, table, std::move(events), symbols).decode(&merged)) {
    bytes.refuse_damaged("a walk over its " + std::to_string(faces) + " triangles");
    return surface;
  }
  surface.vertices = static_cast<std::uint32_t>(table.leftmost.size()) - merged;
  count_draco_seams(walk.seams, table, surface);
  surface.is_whole = true;
  return surface;
}

}  // namespace lissom
