// SPDX-License-Identifier: MIT
#pragma once

// How high feet must be lifted so that their soles touch the ground, edges of steps included. For *_kernels.cpp files only.

#include "core/ik/foot_ground.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr double kJump = 0.003;  // of the size
constexpr int kHalvings = 6;

// Lifts by which the lowest points of feet touch the ground, edges of steps included (foot_lift). Soles are `posed`.
struct ContactLifts {
  const FootPlan& plan;
  const FootBatch& batch;
  const FootScratch& scratch;
  bool
      is_corrected;  // as the solved legs have them: edges are searched between these, not where rays went down

  LISSOM_NOINLINE void run(L* lifts) const {
    const FootPoints& points = scratch.points;
    for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
      const FootPlan::Leg& of = plan.legs[leg];
      const V slide = scratch.lanes->slides[leg];
      L lift(-kInfinity);
      for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
        const V world = points.world[p], posed = points.posed[p];
        const L x = world.x + slide.x, z = world.z + slide.z;  // where the ray went down
        const L away_x = posed.x - (is_corrected ? x : world.x),
                away_z = posed.z - (is_corrected ? z : world.z);
        lift = max(lift,
                   points.heights[p] + (points.plane_x[p] * away_x + points.plane_z[p] * away_z) - posed.y);
        points.x[p] = is_corrected ? posed.x : x, points.z[p] = is_corrected ? posed.z : z;
        points.plane[p] =
            points.heights[p] - (points.plane_x[p] * points.x[p] + points.plane_z[p] * points.z[p]);
      }
      lifts[leg] = lift;
    }
    add_edges(lifts);
  }

 private:
  // Edges to search, one after another: of a ring and a lane each. Of the upper point `start`, the `way` to the lower
  // one, and what the ground would rise on it.
  struct Edges {
    static constexpr int kMost = 64;
    enum Field {
      kHeight,
      kStartX,
      kStartZ,
      kWayX,
      kWayZ,
      kSlope,
      kUpperY,
      kLowerY,
      kSag,
      kTop,
      kUpTo,
      kFields
    };
    alignas(64) double numbers[kFields][kMost];
    std::int32_t legs[kMost], lanes[kMost];
    int count = 0;
  };

  // Where an edge crosses the line between two points: at the last point of the upper ground.
  LISSOM_NOINLINE void add_edges(L* lifts) const {
    const FootPoints& points = scratch.points;
    const L limit(kJump * plan.options.size);
    Edges edges;
    std::size_t leg = 0;
    std::int32_t last = plan.legs[0].first_point + plan.legs[0].point_count;
    for (const FootPlan::Ring& ring : plan.rings) {
      while (ring.first >= last) ++leg, last = plan.legs[leg].first_point + plan.legs[leg].point_count;
      const std::int32_t a = ring.first, b = ring.second;
      const L expected =
          points.plane[a] + (points.plane_x[a] * points.x[b] + points.plane_z[a] * points.z[b]);
      M jumps = abs(expected - points.heights[b]) > limit;  // not where nothing is below both
      if (__builtin_expect(!any(jumps), true)) continue;
      if (is_corrected) jumps = jumps & scratch.lanes->again;
      if (any(jumps & may_lift(ring, expected, lifts[leg]))) add_edge(ring, leg, jumps, edges, lifts);
    }
    search(edges, lifts);
  }

  // False where neither point nor its plane, `expected` at the other for the first one's, is high enough: as in add_edge(),
  // which takes longer. Planes of steep ground are level here.
  LISSOM_INLINE M may_lift(const FootPlan::Ring& ring, const L& expected, const L& lift) const {
    const FootPoints& points = scratch.points;
    const std::int32_t a = ring.first, b = ring.second;
    const L back = points.plane[b] + (points.plane_x[b] * points.x[a] + points.plane_z[b] * points.z[a]);
    const L first = max(points.heights[a], back) - points.posed[a].y;
    const L second = max(points.heights[b], expected) - points.posed[b].y;
    const L spare((kJump + 2e-9) * plan.options.size + ring.sag);
    return (max(first, second) + spare > lift) | (min(points.up[a], points.up[b]) <= L(kSteepest));
  }

  LISSOM_NOINLINE void add_edge(const FootPlan::Ring& ring, std::size_t leg, M jumps, Edges& edges,
                                L* lifts) const {
    const FootPoints& points = scratch.points;
    const M first_is_upper = points.heights[ring.first] >= points.heights[ring.second];
    const auto either = [&](const L& first, const L& second)
                            LISSOM_LAMBDA_INLINE { return select(first_is_upper, first, second); };
    const auto upper = [&](const L* array)
                           LISSOM_LAMBDA_INLINE { return either(array[ring.first], array[ring.second]); };
    const auto lower = [&](const L* array)
                           LISSOM_LAMBDA_INLINE { return either(array[ring.second], array[ring.first]); };
    L edge[Edges::kFields];
    const L height = upper(points.heights), start_x = upper(points.x), start_z = upper(points.z);
    const L way_x = lower(points.x) - start_x, way_z = lower(points.z) - start_z;
    const L upper_y = either(points.posed[ring.first].y, points.posed[ring.second].y);
    const L lower_y = either(points.posed[ring.second].y, points.posed[ring.first].y);
    const L up = upper(points.up);
    const L slope =
        (upper(points.rise_x) * way_x + upper(points.rise_z) * way_z) * min(up * (1 / kSteepest), L(1));
    // Edges that cannot lift the foot higher need no search. With some more than rounding, so that it is the same in
    // whichever order they come.
    const L sag(ring.sag), spare((kJump + 1e-9) * plan.options.size);
    const L most = max(height - upper_y, height + slope - lower_y) + spare + sag;
    jumps = jumps & (most > lifts[leg]);
    if (!any(jumps)) return;
    edge[Edges::kHeight] = height, edge[Edges::kStartX] = start_x, edge[Edges::kStartZ] = start_z;
    edge[Edges::kWayX] = way_x, edge[Edges::kWayZ] = way_z, edge[Edges::kSlope] = slope;
    edge[Edges::kUpperY] = upper_y, edge[Edges::kLowerY] = lower_y, edge[Edges::kSag] = sag;
    edge[Edges::kTop] = scratch.lanes->floor_height + plan.options.ray_height, edge[Edges::kUpTo] = most;
    for (int lane = 0; lane < L::kCount; ++lane) {
      if (!jumps.bits[lane]) continue;
      if (edges.count == Edges::kMost) search(edges, lifts);
      for (int field = 0; field < Edges::kFields; ++field)
        edges.numbers[field][edges.count] = edge[field].v[lane];
      edges.legs[edges.count] = static_cast<std::int32_t>(leg), edges.lanes[edges.count] = lane;
      ++edges.count;
    }
  }

  // As many edges at a time as lanes, of whatever characters: on most rings few of them have one.
  LISSOM_NOINLINE void search(Edges& edges, L* lifts) const {
    const FieldRays ground(batch.ground);
    const L limit(kJump * plan.options.size);
    int next = 0;
    for (;;) {
      int found[L::kCount], count = 0;
      for (; next < edges.count && count < L::kCount; ++next) {
        if (edges.numbers[Edges::kUpTo][next] > lifts[edges.legs[next]].v[edges.lanes[next]])
          found[count++] = next;
      }
      if (!count) break;
      const auto edge = [&](Edges::Field field) LISSOM_LAMBDA_INLINE {
        alignas(64) double numbers[L::kCount];
        for (int lane = 0; lane < L::kCount; ++lane)
          numbers[lane] = edges.numbers[field][found[lane < count ? lane : 0]];
        return L(load_as<Double>(numbers));
      };
      const L height = edge(Edges::kHeight), slope = edge(Edges::kSlope), top = edge(Edges::kTop);
      const L start_x = edge(Edges::kStartX), start_z = edge(Edges::kStartZ);
      const L way_x = edge(Edges::kWayX), way_z = edge(Edges::kWayZ);
      L share(0), beyond(1), highest = height;
      for (int i = 0; i < kHalvings; ++i) {
        const L middle = 0.5 * (share + beyond);
        const L hit = ground.below(start_x + way_x * middle, start_z + way_z * middle, top).height;
        const M is_upper = abs(hit - (height + slope * middle)) <= limit;
        highest = select(is_upper, hit, highest);
        share = select(is_upper, middle, share), beyond = select(is_upper, beyond, middle);
      }
      const L at_edge = edge(Edges::kUpperY) * (1 - share) + edge(Edges::kLowerY) * share -
                        4.0 * share * (1 - share) * edge(Edges::kSag);
      const L lift = highest - at_edge;
      for (int k = 0; k < count; ++k) {
        L& of = lifts[edges.legs[found[k]]];
        const int lane = edges.lanes[found[k]];
        if (lift.v[k] > of.v[lane]) of.v[lane] = lift.v[k];
      }
    }
    edges.count = 0;
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
