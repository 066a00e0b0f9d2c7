// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace lissom {

// Threads that heavy calls may use, the caller included. At least 1.
int thread_count();

// Sets it; 0 asks for as many as the machine has.
void set_thread_count(int count);

// Calls body(begin, end) over consecutive chunks of [0, count), whose bounds are multiples of `grain` (but for the
// last end). `nanoseconds_per_item` is a rough estimate of the work: small jobs stay on the calling thread.
// `body` must not throw. Chunks never overlap, so results do not depend on the number of threads.
void parallel_for(std::size_t count, std::size_t grain, double nanoseconds_per_item,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace lissom
