// SPDX-License-Identifier: MIT
#include "core/ik/chain_groups.h"
#include "core/ik/fabrik_batch.h"
#include "core/ik/fabrik_limited.h"
#include "core/ik/ik_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end, void* scratch) {
  if (is_free_chain(plan)) {
    FreeBatch<T>(plan, batch, scratch).solve(begin, end);
  } else {
    solve_limited(plan, batch, begin, end, scratch);
  }
}

template <class T>
std::size_t scratch_bytes(const IkPlan& plan) {
  if (is_free_chain(plan)) return FreeBatch<T>::scratch_bytes(plan);
  return ChainLanes<T>::scratch_bytes(plan) + LimitedTree<T>::scratch_bytes(plan);
}

}  // namespace

extern const IkKernels fabrik_kernels;
const IkKernels fabrik_kernels = {{&solve<float>, &scratch_bytes<float>},
                                  LISSOM_DOUBLES(&solve<double>, &scratch_bytes<double>)};

}  // namespace lissom::LISSOM_ISA
