// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/error.h"
#include "core/ik/ik_kernels.h"
#include "core/ik/ik_tree.h"
#include "core/simd/isa.h"

namespace lissom {

// The instruction set that solves in double precision, where there are several.
constexpr Isa kIsaOfDoubles = Isa::kV2;

// Kernels count in the precision of the poses: float holds every whole number up to this one.
constexpr int kMostIterations = 1 << 24;

// Inputs and outputs of all solvers. N items, each a pose of J joints with targets for E chains. An input that holds
// one pose (target, weight) serves all items.
//
// Solvers change the local rotations of the chains' joints and nothing else, and stop an item once all its effectors
// are within tolerance; those that iterate return the best pose found: an unreachable target is no error. Items are
// independent: an item's result is the same to the bit alone, in any batch and with any number of threads.
template <class T>
struct IkJob {
  // First broken rule below, or empty. `nanoseconds` is a rough estimate per item of the solve that follows: where that
  // wakes the threads, poses are checked by them, too.
  Error validate(double nanoseconds = 0) const;
  // Validates, then solves by `solver`; writes nothing on error.
  Error run(const IkLoop<T>& solver, double nanoseconds) const;
  // Solves what has been validated, by a solver that takes more than all do: as IkLoop::solve, with `scratch_bytes` of its
  // own.
  using Solve = std::function<void(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                   std::size_t end, void* scratch)>;
  void solve(const Solve& solver, std::size_t scratch_bytes, double nanoseconds) const;

  const IkTree* tree = nullptr;
  // Inputs.
  std::span<const T> poses;  // (N * J * 10) local trs, rotations unit; joints of the chains and above finite,
                             // scaled uniformly where joints below rotate, not zero above the chains
  std::span<const T> start;  // as poses: the rotations to start from; none: those of poses
  std::span<const T> targets;  // (N * E * 3) model space, finite
  std::span<const T>
      orientations;  // (N * E * 4) of the effectors, model space, unit; NaN in a row: no orientation; or empty
  std::span<const T> weights;  // (N) or (1) in [0, 1]: from the input pose to the solution
  std::size_t frames =
      1;  // N is a multiple; each run of so many items follows in time: all but the first start
          // from the correction of the one before
  double tolerance = 1e-4;        // of the chain's length, above 0
  double angle_tolerance = 1e-3;  // radians, above 0
  int max_iterations = 0;         // in [0, kMostIterations]
  // Outputs, apart from all inputs.
  std::span<T> out;                    // (N * J * 10) local trs
  std::span<T> residuals;              // (N * E) from effector to target in `out`, model units
  std::span<T> angles;                 // (N * E) radians, where orientations are asked for; else none
  std::span<std::int32_t> iterations;  // (N)
  std::span<std::uint8_t> reached;     // (N * E) whether within tolerance
  std::span<std::uint8_t> limited;     // (N * J) whether at a limit

 private:
  IkBatch<T> batch() const;
  mutable bool is_unscaled_ = false;  // of poses, as validate() found them
};

}  // namespace lissom
