// SPDX-License-Identifier: MIT
#include "core/arrays/array_function.h"

#include <atomic>

#include "core/arrays/decomposition_functions.h"
#include "core/arrays/quat_mean.h"
#include "core/parallel/thread_pool.h"
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

std::ptrdiff_t run_rows(ArrayLoop loop, int operand_count, double nanoseconds_per_row, char* const* args,
                        const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  constexpr std::size_t kGrain = 64;  // rows: vectors are full, and threads rarely share a line of the cache
  if (static_cast<double>(counts[0]) * nanoseconds_per_row < kLeastNanoseconds)
    return loop(args, counts, strides);
  std::atomic<std::ptrdiff_t> broken{-1};
  parallel_for(static_cast<std::size_t>(counts[0]), kGrain, nanoseconds_per_row,
               [&](std::size_t begin, std::size_t end) {
                 char* part[kMaxOperands];
                 const auto first = static_cast<std::ptrdiff_t>(begin);
                 for (int i = 0; i < operand_count; ++i) part[i] = args[i] + first * strides[i];
                 const std::ptrdiff_t part_counts[] = {static_cast<std::ptrdiff_t>(end - begin), counts[1]};
                 const std::ptrdiff_t row = loop(part, part_counts, strides);
                 if (row >= 0) broken.store(first + row, std::memory_order_relaxed);
               });
  return broken.load();
}

}  // namespace lissom
