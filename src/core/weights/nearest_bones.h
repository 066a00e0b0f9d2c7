// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/welded_mesh.h"
#include "core/progress.h"

namespace lissom {

// From head to tail; a point where both are one.
struct BoneSegment {
  double head[3];
  double tail[3];
};

// The point of a bone that is nearest to a given one.
struct BonePlace {
  double point[3];
  double distance;
};
BonePlace nearest_place(const BoneSegment& bone, const double* point);

// The bones that heat each node: the nearest that it sees, and others within 1e-4 of its distance that it sees, too.
//
// A node sees a bone where the segment to the bone's nearest point is inside of the node's own island: the first
// triangle that the ray hits is hit from behind, and beyond the bone. Other islands (eyes, clothes) occlude nothing.
// Where the island is open and the ray hits none of it, the node's normal distinguishes inside from outside. Triangles
// are oriented as in outward_triangles.h. On an island where no node sees any bone all have their nearest ones unseen.
// Source: Baran and Popovic, Automatic Rigging and Animation of 3D Characters, SIGGRAPH 2007, section 5. There a node
// whose nearest bone is hidden has none; here it has the nearest that is not, farther away, with less heat.
struct NearestBones {
  struct Pair {
    std::uint32_t node, bone;
    double distance;  // model units
  };

  // True where `progress` stopped it.
  bool find(const WeldedMesh& mesh, std::span<const BoneSegment> bones, bool sight, const Progress& progress);

  std::vector<Pair> pairs;  // by node; none for nodes that see no bone on islands where others do
  std::vector<char>
      blind_islands;  // one for each island: 1 where no node sees a bone, and `sight` was asked for
};

}  // namespace lissom
