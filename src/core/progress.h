// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace lissom {

// Asked by long jobs many times a second, always from the thread that runs them: which stage they are in, and how much
// of it is done, 0 to 1, which never falls while a stage lasts. True stops the job, which then writes nothing.
using Progress = std::function<bool(const char* stage, double fraction)>;

// What a stopped job says.
inline constexpr const char* kStopped = "was stopped";

}  // namespace lissom
