// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace lissom {

// A bar of cubes with the side 1, each cut into six tetrahedra around its diagonal. Nodes: x fastest.
struct BoxTets {
  BoxTets(int x, int y, int z, double jitter = 0) : counts{x + 1, y + 1, z + 1} {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> shift(-jitter, jitter);
    for (int k = 0; k <= z; ++k) {
      for (int j = 0; j <= y; ++j) {
        for (int i = 0; i <= x; ++i) {
          for (const int along : {i, j, k}) nodes.push_back(along + (jitter > 0 ? shift(random) : 0.0));
        }
      }
    }
    const std::array<std::int32_t, 3> steps = {1, x + 1, (x + 1) * (y + 1)};
    for (int k = 0; k < z; ++k) {
      for (int j = 0; j < y; ++j) {
        for (int i = 0; i < x; ++i) {
          std::array<int, 3> axes = {0, 1, 2};
          do {
            std::int32_t corner = node(i, j, k);
            tets.push_back(corner);
            for (const int axis : axes) tets.push_back(corner += steps[static_cast<std::size_t>(axis)]);
          } while (std::next_permutation(axes.begin(), axes.end()));
        }
      }
    }
  }

  std::int32_t node(int i, int j, int k) const { return (k * counts[1] + j) * counts[0] + i; }
  std::size_t node_count() const { return nodes.size() / 3; }
  // Whether so many layers of nodes lie around a node.
  bool is_inner(std::int32_t node, int layers) const {
    const int at[3] = {node % counts[0], node / counts[0] % counts[1], node / counts[0] / counts[1]};
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] < layers || at[axis] >= counts[axis] - layers) return false;
    }
    return true;
  }

  int counts[3];  // of nodes
  std::vector<double> nodes;
  std::vector<std::int32_t> tets;
};

}  // namespace lissom
