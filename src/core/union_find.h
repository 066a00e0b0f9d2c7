// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace lissom {

// Disjoint sets that are joined two at a time. The root of a set is its lowest member, so the result does not depend on
// the order of joining.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0); }

  std::int32_t root(std::int32_t item) {
    while (parents_[item] != item) item = parents_[item] = parents_[parents_[item]];
    return item;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    if (a < b) {
      parents_[b] = a;
    } else {
      parents_[a] = b;
    }
  }

 private:
  std::vector<std::int32_t> parents_;
};

}  // namespace lissom
