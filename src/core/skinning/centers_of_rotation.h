// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/error.h"

namespace lissom {

// The paper's width of the similarity.
inline constexpr double kSimilaritySigma = 0.1;
// The paper's limit: where weights differ by more along an edge (Euclidean distance), its triangles are divided.
inline constexpr double kSampleWeightStep = 0.1;

// Optimised centres of rotation: for each vertex the mean of the surface, weighted by how similarly it is bound.
//
//   s(p, v) = sum over pairs of joints j != k of p_j p_k v_j v_k exp(-(p_j v_k - p_k v_j)^2 / sigma^2)
//   centre of p = integral of s(p, v) v / integral of s(p, v), over all v of the surface
//
// The integrals are sums over triangles: area times the similarity of the corners' mean weights, and times the
// centroid. A triangle is first divided into n^2 equal ones, so that no edge of those changes the weights by more than
// kSampleWeightStep: the result then hardly depends on how finely the surface is meshed.
//
// A vertex with fewer than two influences, and one that no part of the surface is similar to (kLeastSimilarity), has no
// centre. Its own position is used instead: skinning then moves it by the linear blend of its rigid motions; with one
// influence that is the motion itself, whatever the centre.
//
// Computed in double, by pairs of joints: only triangles that are bound to a pair of the vertex are visited, and
// vertices of the same weights share a centre. The bits depend neither on the instruction set nor on threads. Time is
// about rows of weights times samples of the surface per pair of joints. Memory is that of all pairs of a row of
// weights, K (K - 1) / 2 at most, for each row, and about 50 MB of samples. Source: Le and Hodgins, Real-time Skeletal
// Skinning with Optimized Centers of Rotation, ACM TOG 35(4) art. 37, 2016, equations 1 and 4.
struct CentersOfRotationJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills `centers`; writes nothing on error

  // Inputs. V vertices, F triangles, K influences per vertex.
  std::span<const float> positions;          // (V, 3) bind space, finite
  std::span<const std::uint32_t> indices;    // (V, K)
  std::span<const float> weights;            // (V, K) in [0, 1]
  std::size_t influence_count = 1;           // K, at least 1
  std::span<const std::uint32_t> triangles;  // (F, 3), each < V, not all without area
  double sigma = kSimilaritySigma;           // positive
  // Called on the calling thread a few times a second; true ends the job with an error. May be empty.
  std::function<bool()> is_cancelled;
  // Output.
  std::span<float> centers;  // (V, 3) bind space
};

}  // namespace lissom
