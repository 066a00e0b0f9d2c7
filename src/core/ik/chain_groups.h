// SPDX-License-Identifier: MIT
#pragma once

// A batch in groups of as many chains as a vector has lanes. For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

// The loop of doubles in a table of kernels. Doubles are solved by the narrowest instruction set alone (kIsaOfDoubles
// in ik_job.h), whose results are the same to the bit: copies of every solver for wider vectors would add more to the
// wheel's size than callers with doubles gain.
#if LISSOM_WIDTH > 4
#define LISSOM_DOUBLES(...) \
  {                         \
  }
#else
#define LISSOM_DOUBLES(...) {__VA_ARGS__}
#endif

namespace lissom::LISSOM_ISA {
namespace {

// Calls solve(chains) -> iterations for all items of [begin, end), as many at a time as lanes. In sequences of frames
// each lane holds one, and `begin` and `end` are multiples of batch.frames. measure(chains) then fills the residuals.
template <class T, class Solve, class Measure>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve,
                                  const Measure& measure) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  ChainLanes<T> chains(plan, batch, scratch);
  const std::size_t frames = batch.frames;
  for (std::size_t first = begin / frames; first < end / frames; first += kLanes) {
    const std::size_t rest = end / frames - first, count = rest < kLanes ? rest : kLanes;
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        chains.items[lane] = (first + (lane < count ? lane : count - 1)) * frames + frame;
      }
      chains.load(frame > 0);
      const Lanes<T> iterations = solve(chains);
      chains.store_poses(static_cast<int>(count));
      measure(chains);
      chains.store_report(iterations, static_cast<int>(count));
    }
  }
}
template <class T, class Solve>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve) {
  for_each_group<T>(plan, batch, begin, end, scratch, solve,
                    [](ChainLanes<T>& chains) LISSOM_LAMBDA_INLINE { chains.measure(); });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
