// SPDX-License-Identifier: MIT
#include "core/ik/fabrik.h"

#include <type_traits>

#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(IkKernels, fabrik_kernels)

template <class T>
Error FabrikJob<T>::run() const {
  constexpr double kNanoseconds = 150;
  if constexpr (std::is_same_v<T, float>) {
    return IkJob<T>::run(fabrik_kernels().floats, kNanoseconds);
  } else {
    return IkJob<T>::run(fabrik_kernels(kIsaOfDoubles).doubles, kNanoseconds);
  }
}

template struct FabrikJob<float>;
template struct FabrikJob<double>;

}  // namespace lissom
