// SPDX-License-Identifier: MIT
#include "core/weights/nearest_bones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/geometry/outward_triangles.h"
#include "core/geometry/ray_cast.h"

namespace lissom {
namespace {

// Bones count as equally near within this share: at a joint that bones share, rounding must not decide. As in the
// authors' code.
constexpr double kTie = 1e-4;
// As a share of the island's size: the distance from the node at which a ray starts, and from the bone at which it
// ends, so that it does not hit the triangles at the node itself.
constexpr double kStart = 1e-4;
constexpr std::size_t kChunk = 2048;  // nodes whose distances to all bones are stored at once
constexpr double kInf = std::numeric_limits<double>::infinity();

using Pair = NearestBones::Pair;

struct Rays {
  std::vector<std::uint32_t> owners;  // index into the chunk
  std::vector<double> origins, directions, reach;
  std::vector<char> is_inwards;  // by the node's normal
  std::vector<double> hits;
  std::vector<std::int64_t> triangles;

  void clear() {
    owners.clear();
    origins.clear();
    directions.clear();
    reach.clear();
    is_inwards.clear();
  }
};

// The bones that nodes of one island see.
class Visibility {
 public:
  Visibility(const WeldedMesh& mesh, const OutwardTriangles& outward, std::span<const BoneSegment> bones)
      : mesh_(mesh), outward_(outward), bones_(bones) {}

  // Builds the tree of the island's triangles.
  void enter(std::span<const std::uint32_t> nodes, std::span<const std::uint32_t> triangles) {
    double low[3] = {kInf, kInf, kInf};
    double high[3] = {-kInf, -kInf, -kInf};
    for (const std::uint32_t node : nodes) {
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], mesh_.positions[node][i]);
        high[i] = std::max(high[i], mesh_.positions[node][i]);
      }
    }
    start_ = kStart * std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    std::vector<double> corners;
    std::vector<std::uint32_t> indices;
    corners.reserve(9 * triangles.size());
    for (const std::uint32_t triangle : triangles) {
      const auto& t = outward_.triangles[triangle];
      for (const std::uint32_t node : t) {
        indices.push_back(static_cast<std::uint32_t>(indices.size()));
        corners.insert(corners.end(), mesh_.positions[node].begin(), mesh_.positions[node].end());
      }
    }
    triangles_ = triangles;
    is_closed_ = std::all_of(triangles.begin(), triangles.end(),
                             [&](std::uint32_t i) { return outward_.is_closed[i]; });
    // All that is refused was checked when the mesh was welded.
    is_there_ = !TriangleBvh::make({{}, corners, indices}, &bvh_);
  }

  // Appends the nearest bones that the nodes see. Without sight the nearest bones, seen or not.
  void find(std::span<const std::uint32_t> nodes, bool sight, std::vector<Pair>* pairs) {
    const std::size_t count = nodes.size();
    const std::size_t bone_count = bones_.size();
    order_.resize(count * bone_count);
    for (std::size_t i = 0; i < count; ++i) {
      auto* row = &order_[i * bone_count];
      for (std::size_t bone = 0; bone < bone_count; ++bone) {
        const double distance = nearest_place(bones_[bone], mesh_.positions[nodes[i]].data()).distance;
        row[bone] = {distance, static_cast<std::uint32_t>(bone)};
      }
      std::sort(row, row + bone_count);
    }
    cursors_.assign(count, 0);
    best_.assign(count, kInf);
    found_.clear();
    do {
      rays_.clear();
      for (std::size_t i = 0; i < count; ++i) advance(nodes[i], i, sight);
      cast();
    } while (!rays_.owners.empty());
    std::sort(found_.begin(), found_.end());
    for (const auto& [i, at] : found_) {
      const auto& [distance, bone] = order_[i * bone_count + at];
      pairs->push_back({nodes[i], bone, distance});
    }
  }

 private:
  bool is_candidate(std::size_t i) const {
    if (cursors_[i] == bones_.size()) return false;
    return order_[i * bones_.size() + cursors_[i]].first <= best_[i] * (1 + kTie);
  }
  void see(std::size_t i, std::uint32_t at) {
    found_.emplace_back(static_cast<std::uint32_t>(i), at);
    best_[i] = std::min(best_[i], order_[i * bones_.size() + at].first);
  }

  // Advances through a node's bones, the nearest first, to the next that needs a ray.
  void advance(std::uint32_t node, std::size_t i, bool sight) {
    const auto& at = mesh_.positions[node];
    const auto& normal = outward_.normals[node];
    for (; is_candidate(i); ++cursors_[i]) {
      const auto& [distance, bone] = order_[i * bones_.size() + cursors_[i]];
      if (!sight || !is_there_ || distance <= 2 * start_) {
        see(i, cursors_[i]);
        continue;
      }
      const BonePlace place = nearest_place(bones_[bone], at.data());
      double direction[3];
      double inwards = 0;
      for (int k = 0; k < 3; ++k) {
        direction[k] = (place.point[k] - at[k]) / distance;
        inwards -= direction[k] * normal[k];
      }
      rays_.is_inwards.push_back(static_cast<char>(inwards >= 0));
      for (int k = 0; k < 3; ++k) {
        rays_.origins.push_back(at[k] + start_ * direction[k]);
        rays_.directions.push_back(direction[k]);
      }
      rays_.owners.push_back(static_cast<std::uint32_t>(i));
      rays_.reach.push_back(distance - 2 * start_);
      return;
    }
  }

  void cast() {
    const std::size_t count = rays_.owners.size();
    if (count == 0) return;
    rays_.hits.resize(count);
    rays_.triangles.resize(count);
    RayCastJob job;
    job.bvh = &bvh_;
    job.origins = rays_.origins;
    job.directions = rays_.directions;
    job.distances = rays_.hits;
    job.triangles = rays_.triangles;
    if (job.run())
      std::fill(rays_.triangles.begin(), rays_.triangles.end(), -1);  // finite unit directions: never
    for (std::size_t ray = 0; ray < count; ++ray) {
      const std::uint32_t i = rays_.owners[ray];
      if (is_inside(ray)) see(i, cursors_[i]);
      ++cursors_[i];
    }
  }

  // Whether a ray is inside all the way from its node to the bone.
  bool is_inside(std::size_t ray) const {
    if (rays_.triangles[ray] < 0) return !is_closed_ && rays_.is_inwards[ray];
    if (rays_.hits[ray] < rays_.reach[ray]) return false;
    const auto& cross = outward_.crosses[triangles_[static_cast<std::size_t>(rays_.triangles[ray])]];
    double outwards = 0;
    for (int k = 0; k < 3; ++k) outwards += cross[k] * rays_.directions[3 * ray + k];
    return outwards > 0;
  }

  const WeldedMesh& mesh_;
  const OutwardTriangles& outward_;
  std::span<const BoneSegment> bones_;
  TriangleBvh bvh_;
  std::span<const std::uint32_t> triangles_;  // of the island
  bool is_closed_ = false;
  bool is_there_ = false;
  double start_ = 0;
  std::vector<std::pair<double, std::uint32_t>>
      order_;                           // of each node of the chunk: distance and bone, the nearest first
  std::vector<std::uint32_t> cursors_;  // how many of them have been tested
  std::vector<double> best_;            // distance of the nearest seen
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;
  Rays rays_;
};

// The items of each island, in order.
struct Sorted {
  std::vector<std::uint32_t> items, starts;

  template <class IslandOf>
  Sorted(std::size_t count, std::uint32_t island_count, const IslandOf& island_of)
      : items(count), starts(island_count + 1, 0) {
    for (std::size_t i = 0; i < count; ++i) ++starts[island_of(i) + 1];
    for (std::uint32_t i = 0; i < island_count; ++i) starts[i + 1] += starts[i];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < count; ++i) items[next[island_of(i)]++] = static_cast<std::uint32_t>(i);
  }
  std::span<const std::uint32_t> of(std::uint32_t island) const {
    return std::span(items).subspan(starts[island], starts[island + 1] - starts[island]);
  }
};

}  // namespace

BonePlace nearest_place(const BoneSegment& bone, const double* point) {
  double axis[3];
  double square = 0;
  double dot = 0;
  for (int i = 0; i < 3; ++i) {
    axis[i] = bone.tail[i] - bone.head[i];
    square += axis[i] * axis[i];
    dot += axis[i] * (point[i] - bone.head[i]);
  }
  const double t = square > 0 ? std::clamp(dot / square, 0.0, 1.0) : 0.0;
  BonePlace place;
  for (int i = 0; i < 3; ++i) place.point[i] = t == 1 ? bone.tail[i] : bone.head[i] + t * axis[i];
  place.distance =
      std::hypot(place.point[0] - point[0], place.point[1] - point[1], place.point[2] - point[2]);
  return place;
}

bool NearestBones::find(const WeldedMesh& mesh, std::span<const BoneSegment> bones, bool sight,
                        const Progress& progress) {
  pairs.clear();
  blind_islands.assign(mesh.island_count, 0);
  const OutwardTriangles outward(mesh);
  const Sorted nodes(mesh.positions.size(), mesh.island_count,
                     [&](std::size_t i) { return mesh.islands[i]; });
  const Sorted triangles(mesh.triangles.size(), mesh.island_count,
                         [&](std::size_t i) { return mesh.islands[mesh.triangles[i][0]]; });
  Visibility visibility(mesh, outward, bones);
  std::size_t done = 0;
  for (std::uint32_t island = 0; island < mesh.island_count; ++island) {
    const auto own = nodes.of(island);
    if (sight) visibility.enter(own, triangles.of(island));
    const std::size_t before = pairs.size();
    for (const bool is_second : {false, true}) {
      const bool seeing = sight && !is_second;
      for (std::size_t begin = 0; begin < own.size(); begin += kChunk) {
        // Each of the two passes is half of an island's share.
        const double tested = 0.5 * static_cast<double>(begin + (is_second ? own.size() : 0));
        const double fraction =
            (static_cast<double>(done) + tested) / static_cast<double>(mesh.positions.size());
        if (progress && progress("visibility", fraction)) return true;
        visibility.find(own.subspan(begin, std::min(kChunk, own.size() - begin)), seeing, &pairs);
      }
      if (pairs.size() > before) break;
      blind_islands[island] = 1;
    }
    done += own.size();
  }
  return false;
}

}  // namespace lissom
