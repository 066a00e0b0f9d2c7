// SPDX-License-Identifier: MIT
#pragma once

// The memory layout of a tree of triangles: its builder writes it and the kernels read it.

#include <cstddef>
#include <cstdint>

namespace lissom {

inline constexpr int kBvhWidth = 8;     // children of a node: their boxes are tested at once
inline constexpr int kBvhLeafSize = 4;  // triangles of a leaf: tested at once, too
inline constexpr std::uint32_t kBvhLeafBit = 0x80000000u;
inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;
// No path from the root is longer: below kBvhBalancedDepth nodes are split in the middle, whatever the cost, and
// each of them has at most half the triangles of its parent.
inline constexpr int kBvhBalancedDepth = 24;
inline constexpr int kBvhMaxDepth = kBvhBalancedDepth + 32;
// The most entries of a traversal stack: each node on a path leaves at most all its children but one.
inline constexpr int kBvhStackSize = (kBvhWidth - 1) * kBvhMaxDepth + 1;

// The space of the boxes. node = (model - center) * scale, so that all triangles lie within [-1, 1], whatever the
// units and the position of the model: float32 boxes then resolve its triangles.
struct BvhSpace {
  double center[3] = {0, 0, 0};  // model space
  double scale = 1;              // a power of two: multiplying by it is exact
  double low[3] = {0, 0, 0};     // the box of all triangles, node space
  double high[3] = {0, 0, 0};
};

struct alignas(32) BvhNode {
  // Node space, rounded outwards: low x, high x, low y, high y, low z, high z of each child. Without a child:
  // low is infinity and high its negative, which no ray hits.
  float bounds[6][kBvhWidth];
  std::uint32_t children[kBvhWidth];  // index of a node, or of a leaf with kBvhLeafBit
};

// Triangles of a leaf, interleaved. T is the type of the positions, which are stored unchanged.
template <class T>
struct alignas(32) BvhLeaf {
  T corners[3][3][kBvhLeafSize];          // [corner][axis][triangle], model space
  std::uint32_t triangles[kBvhLeafSize];  // their indices; kNoTriangle, and no area, where there are fewer
};

// Arguments of every kernel that traverses a tree: plain pointers, all checked.
struct BvhKernelArgs {
  const BvhNode* nodes;
  const void* leaves;  // BvhLeaf<T>
  const BvhSpace* space;
  std::size_t begin, end;   // the queries to answer
  double* distances;        // (N)
  std::int64_t* triangles;  // (N) or null
  double* weights;          // (N, 3) or null
};

// Writes the answer to a query; `triangle` is kNoTriangle where there is none. Always inline: kernel files of
// different instruction sets share no function.
inline __attribute__((always_inline)) void write_answer(const BvhKernelArgs& args, std::size_t at,
                                                        double distance, std::uint32_t triangle,
                                                        const double* weights) {
  const bool found = triangle != kNoTriangle;
  args.distances[at] = found ? distance : __builtin_huge_val();
  if (args.triangles) args.triangles[at] = found ? static_cast<std::int64_t>(triangle) : -1;
  for (int k = 0; args.weights && k < 3; ++k) args.weights[3 * at + static_cast<std::size_t>(k)] = weights[k];
}

}  // namespace lissom
