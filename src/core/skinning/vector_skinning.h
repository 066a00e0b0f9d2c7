// SPDX-License-Identifier: MIT
#pragma once

#include "core/skinning/skinning_job.h"

namespace lissom {

// Runs a checked job in single precision, by the vector kernels of the instruction set in use.
void skin_all(const SkinningJob<float>& job);

}  // namespace lissom
