// SPDX-License-Identifier: MIT
#pragma once

#include "core/skinning/skinning_job.h"

namespace lissom {

// Runs a checked job on its prepared mesh, in single precision.
void skin_prepared(const SkinningJob<float>& job);

}  // namespace lissom
