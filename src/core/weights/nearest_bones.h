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

// Where on a bone a point is nearest to.
struct BonePlace {
  double point[3];
  double distance;
};
BonePlace nearest_place(const BoneSegment& bone, const double* point);

// Of each node the bones that warm it: the nearest that it sees, and those as near within 1e-4 that it sees, too.
//
// A node sees a bone where the straight way to the bone's nearest point runs through the inside of the node's own
// island: the first triangle of it along the way is crossed from behind, and beyond the bone. Other islands (eyes,
// clothes) hide nothing. Where the island is open and the way meets none of it, the node's normal tells in from out.
// Triangles are turned alike across edges that two share, then outwards by the volume they enclose, whatever way they
// were given; a flat or open sheet keeps the way of most of its area.
// On an island where no node sees any bone all take their nearest ones unseen.
// Source: Baran and Popovic, Automatic Rigging and Animation of 3D Characters, SIGGRAPH 2007, section 5. There a node
// whose nearest bone is hidden has none; here it takes the nearest that is not, farther away, so less warm.
struct NearestBones {
  struct Pair {
    std::uint32_t node, bone;
    double distance;  // model units
  };

  // True where `progress` stopped it.
  bool find(const WeldedMesh& mesh, std::span<const BoneSegment> bones, bool sight, const Progress& progress);

  std::vector<Pair> pairs;  // by node; none of nodes that see nothing on islands where others do
  std::vector<char>
      blind_islands;  // one for each island: 1 where no node sees a bone, and `sight` was asked for
};

}  // namespace lissom
