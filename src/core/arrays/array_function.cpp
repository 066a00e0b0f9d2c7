// SPDX-License-Identifier: MIT
#include "core/arrays/array_function.h"

#include "core/arrays/decomposition_functions.h"
#include "core/arrays/quat_mean.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(ArrayFunctions, quat_functions)
LISSOM_EQUAL_KERNEL_TABLE(ArrayFunctions, quat_conversion_functions)
LISSOM_EQUAL_KERNEL_TABLE(ArrayFunctions, dual_quat_functions)
LISSOM_EQUAL_KERNEL_TABLE(ArrayFunctions, trs_functions)

std::vector<ArrayFunction> array_functions(Isa isa) {
  std::vector<ArrayFunction> all;
  for (const ArrayFunctions& table :
       {quat_functions(isa), quat_conversion_functions(isa), quat_mean_functions, dual_quat_functions(isa),
        trs_functions(isa), decomposition_functions(isa)}) {
    all.insert(all.end(), table.begin, table.begin + table.count);
  }
  return all;
}

}  // namespace lissom
