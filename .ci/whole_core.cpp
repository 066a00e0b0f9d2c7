// SPDX-License-Identifier: MIT
// What .ci/cross-link links all of the core into: it says which kernels this machine runs.
#include <cstdio>

#include "core/simd/isa.h"

int main() {
  for (const lissom::Isa isa : lissom::runnable_isas()) std::printf("%s ", lissom::isa_name(isa));
  lissom::set_deterministic(true);
  std::printf("run here, %s in deterministic mode\n", lissom::isa_name(lissom::kernel_isa()));
}
