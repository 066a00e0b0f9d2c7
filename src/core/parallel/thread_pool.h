// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/error.h"

namespace lissom {

// More threads than any machine has cores: catches typing errors.
inline constexpr int kMaxThreads = 1024;

// Threads that heavy calls may use, the caller included. At least 1. Until set_thread_count: what
// LISSOM_THREADS says, else as many as this process may run on.
int thread_count();

// Sets it; 0 goes back to what it was at the start.
Error set_thread_count(int count);

// What is wrong with LISSOM_THREADS, if anything; it then counts as unset.
const Error& thread_count_error();

// Reads a number of threads: 1 to kMaxThreads.
Error parse_thread_count(const char* text, int* count);

// Below this much work in all, parallel_for runs its body on the calling thread: waking a sleeping worker takes about 50
// microseconds, a spinning one a tenth of one.
inline constexpr double kLeastNanoseconds = 60e3;

// parallel_for of more work than that, and of any.
void parallel_for_chunks(std::size_t count, std::size_t grain, double nanoseconds_per_item,
                         const std::function<void(std::size_t, std::size_t)>& body);

// Calls body(begin, end) over consecutive chunks of [0, count), whose bounds are multiples of `grain` (except
// for the last end), and returns when all are done. `nanoseconds_per_item` is a rough estimate of the work:
// small jobs stay on the calling thread. Chunks never overlap, so results do not depend on the number of
// threads as long as an item's result does not depend on its chunk. What `body` throws first (it may run out
// of memory) is thrown again here, when the other chunks are done.
//
// Any thread may call it, also several at once and a child of fork(): the pool serves one job at a time,
// others run on their callers alone, as do calls from inside a body.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, double nanoseconds_per_item, const Body& body) {
  if (count == 0) return;
  // Without a std::function, whose memory takes as long as the smallest jobs.
  if (static_cast<double>(count) * nanoseconds_per_item < kLeastNanoseconds) {
    return body(std::size_t{0}, count);
  }
  parallel_for_chunks(count, grain, nanoseconds_per_item, body);
}

// Called by the calling thread in a parallel_for that takes long, about every kSliceNanoseconds, while no chunk runs.
// What it throws leaves parallel_for, as what a body throws: the rest is not done.
using SliceHook = void (*)();
inline constexpr double kSliceNanoseconds = 20e6;

// Sets the hook of this thread, or none, and returns the one before.
SliceHook set_slice_hook(SliceHook hook);

}  // namespace lissom
