// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace lissom {

// Called by long jobs many times a second, always from the thread that runs them, with their stage and the fraction of
// it that is done, 0 to 1, which never decreases within a stage. True stops the job, which then writes nothing.
using Progress = std::function<bool(const char* stage, double fraction)>;

// The error of a stopped job.
inline constexpr const char* kStopped = "was stopped";

}  // namespace lissom
