// SPDX-License-Identifier: MIT
#pragma once

#include "core/skinning/skinning_job.h"

namespace lissom {

// Runs a checked job in double precision, one vertex at a time.
void skin_all(const SkinningJob<double>& job);

}  // namespace lissom
