// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/geometry/bvh_layout.h"
#include "core/geometry/triangle_bvh.h"
#include "core/parallel/thread_pool.h"

namespace lissom {

// The outputs of RayCastJob and ClosestPointJob, many queries of one tree: each answer is a distance and, where asked
// for, a triangle and the barycentric weights of its corners.
struct BvhAnswers {
  std::span<double> distances;        // (N)
  std::span<std::int64_t> triangles;  // (N) or empty
  std::span<double> weights;          // (N, 3) or empty

  Error validate() const;          // of their lengths
  void fill_with_nothing() const;  // infinity, -1, 0
};

Error check_length(std::size_t got, std::size_t expected, const char* name);

// Answers N queries on all threads: `kernel` is the one for the tree's leaves, `args` holds the queries.
template <class Args>
void answer_queries(const TriangleBvh& bvh, const BvhAnswers& answers, double nanoseconds_per_query,
                    void (*kernel)(const Args&), Args args) {
  constexpr std::size_t kGrain = 16;
  args.nodes = bvh.nodes().data();
  args.leaves = bvh.is_wide() ? static_cast<const void*>(bvh.wide_leaves().data()) : bvh.leaves().data();
  args.space = &bvh.space();
  args.distances = answers.distances.data();
  args.triangles = answers.triangles.empty() ? nullptr : answers.triangles.data();
  args.weights = answers.weights.empty() ? nullptr : answers.weights.data();
  parallel_for(answers.distances.size(), kGrain, nanoseconds_per_query,
               [&](std::size_t begin, std::size_t end) {
                 Args part = args;
                 part.begin = begin;
                 part.end = end;
                 kernel(part);
               });
}

}  // namespace lissom
