// SPDX-License-Identifier: MIT
#include "core/geometry/triangle_bvh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/number_text.h"

namespace lissom {
namespace {

// Beyond this the products of a test, three coordinates and a direction each, would overflow float64.
constexpr double kLargestCoordinate = 1e75;
// Smaller areas count as zero: the same products would underflow and rays hit at a distance of 0.
constexpr double kLeastArea = 1e-200;
// A component of a cross product that is at most this relative to its factors is rounding of zero: of parallel
// edges both factors and their product are rounded, 1.5 epsilon of each product at most and 3 of their difference.
constexpr double kAreaRounding = 4 * std::numeric_limits<double>::epsilon();
// Candidate planes of a split per axis, plus one: a matter of speed alone, results do not depend on it.
constexpr int kBins = 16;
constexpr float kInf = std::numeric_limits<float>::infinity();

// The lower corner in 0 to 2, the negative of the upper one in 4 to 6: one minimum unites two boxes.
struct Box {
  float bound[8] = {kInf, kInf, kInf, kInf, kInf, kInf, kInf, kInf};

  void add(const Box& other) {
    for (int i = 0; i < 8; ++i) bound[i] = other.bound[i] < bound[i] ? other.bound[i] : bound[i];
  }
  // Half the surface; 0 of an empty box.
  float area() const {
    const float x = -bound[4] - bound[0];
    const float y = -bound[5] - bound[1];
    const float z = -bound[6] - bound[2];
    return x >= 0 ? x * y + y * z + z * x : 0.0f;
  }
};

struct Item {
  Box box;
  std::uint32_t triangle;

  // Twice the middle of the box.
  float middle(int axis) const { return box.bound[axis] - box.bound[axis + 4]; }
};

struct Range {
  std::size_t begin, end;
  Box box;

  std::size_t size() const { return end - begin; }
};

float rounded_down(double value) {
  const float nearest = static_cast<float>(value);
  return static_cast<double>(nearest) > value ? std::nextafter(nearest, -kInf) : nearest;
}

Box box_of(const Item* begin, const Item* end) {
  Box box;
  for (const Item* item = begin; item != end; ++item) box.add(item->box);
  return box;
}

// Leaves that so many triangles fill: the cost of testing them.
float leaf_count(std::size_t triangles) {
  return static_cast<float>((triangles + kBvhLeafSize - 1) / kBvhLeafSize);
}

// The bin of each middle, on each axis.
struct Bins {
  explicit Bins(const Item* begin, const Item* end) {
    float high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = kInf;
      high[axis] = -kInf;
    }
    for (const Item* item = begin; item != end; ++item) {
      for (int axis = 0; axis < 3; ++axis) {
        const float middle = item->middle(axis);
        low[axis] = middle < low[axis] ? middle : low[axis];
        high[axis] = middle > high[axis] ? middle : high[axis];
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      const float width = high[axis] - low[axis];
      // So narrow that the quotient would be infinite: such items are split by their number.
      factor[axis] = width > kBins / std::numeric_limits<float>::max() ? kBins / width : 0.0f;
    }
  }
  int bin(const Item& item, int axis) const {
    const int found = static_cast<int>((item.middle(axis) - low[axis]) * factor[axis]);
    return found < kBins ? found : kBins - 1;
  }

  float low[3], factor[3];
};

struct Cut {
  int axis = -1;  // none: all middles are one
  int bin = 0;    // the first on the right
  float cost = kInf;
};

// The split between bins with the least expected cost (surface area heuristic).
Cut best_cut(const Bins& bins, const Item* begin, const Item* end) {
  Box boxes[3][kBins];
  std::size_t counts[3][kBins] = {};
  for (const Item* item = begin; item != end; ++item) {
    for (int axis = 0; axis < 3; ++axis) {
      const int bin = bins.bin(*item, axis);
      boxes[axis][bin].add(item->box);
      ++counts[axis][bin];
    }
  }
  Cut best;
  for (int axis = 0; axis < 3; ++axis) {
    if (bins.factor[axis] == 0) continue;
    float right_cost[kBins];
    Box box;
    std::size_t count = 0;
    for (int bin = kBins - 1; bin > 0; --bin) {
      box.add(boxes[axis][bin]);
      count += counts[axis][bin];
      right_cost[bin] = box.area() * leaf_count(count);
    }
    box = Box();
    count = 0;
    for (int bin = 1; bin < kBins; ++bin) {
      box.add(boxes[axis][bin - 1]);
      count += counts[axis][bin - 1];
      const float cost = box.area() * leaf_count(count) + right_cost[bin];
      if (cost < best.cost) best = {axis, bin, cost};
    }
  }
  return best;
}

// Splits a range into two that are not empty.
std::pair<Range, Range> split(std::vector<Item>& items, const Range& range, bool balanced) {
  Item* const begin = items.data() + range.begin;
  Item* const end = items.data() + range.end;
  Item* middle = begin + range.size() / 2;
  const Bins bins(begin, end);
  const Cut cut = balanced ? Cut{} : best_cut(bins, begin, end);
  if (cut.axis >= 0) {
    Item* const found =
        std::partition(begin, end, [&](const Item& item) { return bins.bin(item, cut.axis) < cut.bin; });
    if (found != begin && found != end) middle = found;
  } else {
    const float* widest = std::min_element(bins.factor, bins.factor + 3, [](float a, float b) {
      return (a > 0 ? a : kInf) < (b > 0 ? b : kInf);
    });
    const int axis = static_cast<int>(widest - bins.factor);
    std::nth_element(begin, middle, end, [axis](const Item& a, const Item& b) {
      const float left = a.middle(axis);
      const float right = b.middle(axis);
      return left < right || (left == right && a.triangle < b.triangle);
    });
  }
  const std::size_t at = range.begin + static_cast<std::size_t>(middle - begin);
  return {{range.begin, at, box_of(begin, middle)}, {at, range.end, box_of(middle, end)}};
}

template <class T>
class Builder {
 public:
  Builder(std::span<const T> positions, std::span<const std::uint32_t> triangles)
      : positions_(positions), triangles_(triangles) {}

  std::size_t collect(BvhSpace* space);
  void build(std::vector<BvhNode>* nodes, std::vector<BvhLeaf<T>>* leaves);

 private:
  std::uint32_t make_node(const Range& range, int depth);
  std::uint32_t make_leaf(const Range& range);
  double at(std::uint32_t triangle, int corner, int axis) const {
    return static_cast<double>(
        positions_[3 * std::size_t{triangles_[3 * std::size_t{triangle} + corner]} + axis]);
  }
  bool has_area(std::uint32_t triangle) const;

  std::span<const T> positions_;
  std::span<const std::uint32_t> triangles_;
  std::vector<Item> items_;
  std::vector<BvhNode>* nodes_ = nullptr;
  std::vector<BvhLeaf<T>>* leaves_ = nullptr;
};

template <class T>
bool Builder<T>::has_area(std::uint32_t triangle) const {
  double edges[2][3];
  double longest[2] = {0, 0};
  for (int edge = 0; edge < 2; ++edge) {
    for (int axis = 0; axis < 3; ++axis) {
      edges[edge][axis] = at(triangle, edge + 1, axis) - at(triangle, 0, axis);
      longest[edge] = std::max(longest[edge], std::abs(edges[edge][axis]));
    }
  }
  const double least = std::max(kAreaRounding * longest[0] * longest[1], kLeastArea);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    if (std::abs(edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j]) > least) return true;
  }
  return false;
}

// Fills the items and the space that their boxes are in. Returns the number of triangles without area.
template <class T>
std::size_t Builder<T>::collect(BvhSpace* space) {
  const auto count = static_cast<std::uint32_t>(triangles_.size() / 3);
  items_.reserve(count);
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (std::uint32_t triangle = 0; triangle < count; ++triangle) {
    if (!has_area(triangle)) continue;
    items_.push_back({{}, triangle});
    for (int corner = 0; corner < 3; ++corner) {
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], at(triangle, corner, axis));
        high[axis] = std::max(high[axis], at(triangle, corner, axis));
      }
    }
  }
  if (items_.empty()) return count;
  double radius = 0;
  for (int axis = 0; axis < 3; ++axis) {
    space->center[axis] = 0.5 * (low[axis] + high[axis]);
    radius = std::max(radius, high[axis] - space->center[axis]);
  }
  int exponent = 0;
  std::frexp(radius, &exponent);
  space->scale = std::ldexp(1.0, -exponent);
  for (int axis = 0; axis < 3; ++axis) {
    space->low[axis] = (low[axis] - space->center[axis]) * space->scale;
    space->high[axis] = (high[axis] - space->center[axis]) * space->scale;
  }
  for (Item& item : items_) {
    for (int axis = 0; axis < 3; ++axis) {
      const double a = at(item.triangle, 0, axis);
      const double b = at(item.triangle, 1, axis);
      const double c = at(item.triangle, 2, axis);
      const double least = std::min({a, b, c}) - space->center[axis];
      const double most = std::max({a, b, c}) - space->center[axis];
      item.box.bound[axis] = rounded_down(least * space->scale);
      item.box.bound[axis + 4] = rounded_down(-most * space->scale);
    }
  }
  return count - items_.size();
}

template <class T>
void Builder<T>::build(std::vector<BvhNode>* nodes, std::vector<BvhLeaf<T>>* leaves) {
  nodes_ = nodes;
  leaves_ = leaves;
  if (items_.empty()) return;
  // Measured on terrains and characters: three triangles in a leaf, six children in a node.
  leaves->reserve(items_.size() / 3 + 1);
  nodes->reserve(items_.size() / 15 + 1);
  make_node({0, items_.size(), box_of(items_.data(), items_.data() + items_.size())}, 0);
}

template <class T>
std::uint32_t Builder<T>::make_node(const Range& range, int depth) {
  Range parts[kBvhWidth] = {range};
  int count = 1;
  while (count < kBvhWidth) {
    int widest = -1;
    for (int i = 0; i < count; ++i) {
      if (parts[i].size() <= kBvhLeafSize) continue;
      if (widest < 0 || parts[i].box.area() > parts[widest].box.area()) widest = i;
    }
    if (widest < 0) break;
    const auto [left, right] = split(items_, parts[widest], depth >= kBvhBalancedDepth);
    parts[widest] = left;
    parts[count++] = right;
  }
  const auto index = static_cast<std::uint32_t>(nodes_->size());
  nodes_->emplace_back();
  for (int i = 0; i < kBvhWidth; ++i) {
    BvhNode& node = (*nodes_)[index];
    for (int axis = 0; axis < 3; ++axis) {
      node.bounds[2 * axis][i] = i < count ? parts[i].box.bound[axis] : kInf;
      node.bounds[2 * axis + 1][i] = i < count ? -parts[i].box.bound[axis + 4] : -kInf;
    }
    node.children[i] = 0;
  }
  for (int i = 0; i < count; ++i) {
    const bool is_leaf = parts[i].size() <= kBvhLeafSize;
    const std::uint32_t child = is_leaf ? make_leaf(parts[i]) : make_node(parts[i], depth + 1);
    (*nodes_)[index].children[i] = child;  // the vector may have moved
  }
  return index;
}

template <class T>
std::uint32_t Builder<T>::make_leaf(const Range& range) {
  BvhLeaf<T>& leaf = leaves_->emplace_back();
  for (std::size_t i = 0; i < kBvhLeafSize; ++i) {
    const bool is_used = i < range.size();
    // An unused slot repeats a corner: a triangle without area, which nothing hits.
    const std::uint32_t triangle = items_[range.begin + (is_used ? i : 0)].triangle;
    leaf.triangles[i] = is_used ? triangle : kNoTriangle;
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t vertex = triangles_[3 * std::size_t{triangle} + (is_used ? corner : 0)];
      for (int axis = 0; axis < 3; ++axis)
        leaf.corners[corner][axis][i] = positions_[3 * std::size_t{vertex} + axis];
    }
  }
  return static_cast<std::uint32_t>(leaves_->size() - 1) | kBvhLeafBit;
}

template <class T>
Error check(std::span<const T> positions, std::span<const std::uint32_t> triangles) {
  const std::size_t vertex_count = positions.size() / 3;
  if (triangles.size() / 3 >= kBvhLeafBit) {
    return Error("triangles must be fewer than 2147483648, got " + std::to_string(triangles.size() / 3));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      return Error("positions must be finite, got " + number_text(positions[i]) + " in vertex " +
                   std::to_string(i / 3) + "; remove or repair it");
    }
    if (std::abs(static_cast<double>(positions[i])) > kLargestCoordinate) {
      return Error("positions must be at most 1e75 in size, got " + number_text(positions[i]) +
                   " in vertex " + std::to_string(i / 3) + "; scale them");
    }
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= vertex_count) {
      return Error("triangles must be in [0, " + std::to_string(vertex_count) +
                   "), the number of vertices, got " + std::to_string(triangles[i]) + " in row " +
                   std::to_string(i / 3));
    }
  }
  return {};
}

}  // namespace

template <>
std::vector<BvhLeaf<float>>& TriangleBvh::leaves_of<float>() {
  return leaves_;
}
template <>
std::vector<BvhLeaf<double>>& TriangleBvh::leaves_of<double>() {
  return wide_leaves_;
}

template <class T>
Error TriangleBvh::make(std::span<const T> positions, std::span<const std::uint32_t> triangles,
                        TriangleBvh* bvh) {
  if (Error error = check(positions, triangles)) return error;
  TriangleBvh made;
  made.triangle_count_ = triangles.size() / 3;
  Builder<T> builder(positions, triangles);
  made.degenerate_count_ = builder.collect(&made.space_);
  builder.build(&made.nodes_, &made.leaves_of<T>());
  *bvh = std::move(made);
  return {};
}

Error TriangleBvh::make(const Arrays& arrays, TriangleBvh* bvh) {
  if (!arrays.positions.empty()) return make<float>(arrays.positions, arrays.triangles, bvh);
  return make<double>(arrays.wide_positions, arrays.triangles, bvh);
}

}  // namespace lissom
