// SPDX-License-Identifier: MIT
#include "core/math/array_function.h"

#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(ArrayFunctions, quat_functions)
LISSOM_KERNEL_TABLE(ArrayFunctions, quat_conversion_functions)
LISSOM_KERNEL_TABLE(ArrayFunctions, dual_quat_functions)
LISSOM_KERNEL_TABLE(ArrayFunctions, trs_functions)

std::vector<ArrayFunction> array_functions() {
  std::vector<ArrayFunction> all;
  for (const ArrayFunctions& table :
       {quat_functions(), quat_conversion_functions(), dual_quat_functions(), trs_functions()}) {
    all.insert(all.end(), table.begin, table.begin + table.count);
  }
  return all;
}

}  // namespace lissom
