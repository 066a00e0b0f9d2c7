// SPDX-License-Identifier: MIT
#include "core/ik/ccd.h"

#include <type_traits>

#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(IkKernels, ccd_kernels)

template <class T>
Error CcdJob<T>::run() const {
  constexpr double kNanoseconds = 500;
  if constexpr (std::is_same_v<T, float>) {
    return IkJob<T>::run(ccd_kernels().floats, kNanoseconds);
  } else {
    return IkJob<T>::run(ccd_kernels(kIsaOfDoubles).doubles, kNanoseconds);
  }
}

template struct CcdJob<float>;
template struct CcdJob<double>;

}  // namespace lissom
