// SPDX-License-Identifier: MIT
#pragma once

// A batch in groups of as many chains as a vector has lanes. For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

// The loop of doubles in a table of kernels. Doubles are solved by the narrowest instruction set alone (kIsaOfDoubles
// in ik_job.h), whose results are the same to the bit: copies of every solver for wider vectors would add more to the
// wheel's size than callers with doubles gain. two_bone alone has them: feet of live characters are solved by it.
#if LISSOM_WIDTH > 4
#define LISSOM_DOUBLES(...) \
  {                         \
  }
#else
#define LISSOM_DOUBLES(...) {__VA_ARGS__}
#endif

namespace lissom::LISSOM_ISA {
namespace {

// Loads all items of [begin, end), as many at a time as lanes, and calls solve_and_store(chains, count) for those in the
// first `count` lanes. In sequences of frames each lane holds one, and `begin` and `end` are multiples of batch.frames.
template <class T, class SolveAndStore>
LISSOM_INLINE void for_each_loaded_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                         std::size_t end, void* scratch,
                                         const SolveAndStore& solve_and_store) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  ChainLanes<T> chains(plan, batch, scratch);
  const std::size_t frames = batch.frames;
  for (std::size_t first = begin / frames; first < end / frames; first += kLanes) {
    const std::size_t rest = end / frames - first, count = rest < kLanes ? rest : kLanes;
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        chains.items[lane] = (first + (lane < count ? lane : count - 1)) * frames + frame;
      }
      chains.copy_poses(static_cast<int>(count));
      chains.load(frame > 0);
      solve_and_store(chains, static_cast<int>(count));
    }
  }
}
// The same two groups at a time, in chains[0] and chains[1], counts[0] and counts[1] lanes of them; the second may have
// none.
template <class T, class SolveAndStore>
LISSOM_INLINE void for_each_loaded_pair(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                        std::size_t end, void* scratch,
                                        const SolveAndStore& solve_and_store) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  ChainLanes<T> chains[2] = {{plan, batch, scratch},
                             {plan, batch, static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan)}};
  const std::size_t frames = batch.frames;
  for (std::size_t first = begin / frames; first < end / frames; first += 2 * kLanes) {
    for (std::size_t frame = 0; frame < frames; ++frame) {
      int counts[2] = {0, 0};
      for (std::size_t g = 0; g < 2; ++g) {
        const std::size_t from = first + g * kLanes;
        if (from >= end / frames) break;
        const std::size_t rest = end / frames - from, count = rest < kLanes ? rest : kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          chains[g].items[lane] = (from + (lane < count ? lane : count - 1)) * frames + frame;
        }
        counts[g] = static_cast<int>(count);
        chains[g].copy_poses(counts[g]);
        chains[g].load(frame > 0);
      }
      solve_and_store(chains, counts);
    }
  }
}
// Calls solve(chains) -> iterations for them, and stores. measure(chains) fills the residuals before.
template <class T, class Solve, class Measure>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve,
                                  const Measure& measure) {
  for_each_loaded_group<T>(plan, batch, begin, end, scratch,
                           [&](ChainLanes<T>& chains, int count) LISSOM_LAMBDA_INLINE {
                             const Lanes<T> iterations = solve(chains);
                             chains.store_poses(count);
                             measure(chains);
                             chains.store_report(iterations, count);
                           });
}
template <class T, class Solve>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve) {
  for_each_group<T>(plan, batch, begin, end, scratch, solve,
                    [](ChainLanes<T>& chains) LISSOM_LAMBDA_INLINE { chains.measure(); });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
