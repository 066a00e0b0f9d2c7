// SPDX-License-Identifier: MIT
#include "core/players/row_kernels.h"

#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

bool lie_within(const double* first, std::size_t stride, std::int32_t layer_count, const RowLimits& limits) {
  using D = Lanes<double>;
  constexpr std::size_t kLanes = D::kCount;
  static_assert(kRowNumbers % kLanes == 0);
  typename D::Bits wrong = {};
  for (std::int32_t layer = 0; layer < layer_count; ++layer, first += stride) {
    for (std::size_t i = 0; i < kRowNumbers; i += kLanes) {
      const D x = load_as<typename D::Vector>(first + i);
      const D low = load_as<typename D::Vector>(limits.low + i);
      const D high = load_as<typename D::Vector>(limits.high + i);
      typename D::Bits counts;
      __builtin_memcpy(&counts, limits.counts + i, sizeof counts);
      wrong |= ~((x >= low) & (x <= high)).bits & counts;
    }
  }
  return !any(Mask<double>{wrong});
}

}  // namespace

extern const RowKernels row_kernels;
const RowKernels row_kernels = {&lie_within};

}  // namespace lissom::LISSOM_ISA
