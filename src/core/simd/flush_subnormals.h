// SPDX-License-Identifier: MIT
#pragma once

// For *_kernels.cpp files only.

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

// While one lives, operations of this thread take and make zeros for subnormal numbers, which take a hundred times as long
// on some processors. Nothing in the 128-bit kernels, whose bits are the same on every machine: those avoid such numbers.
class FlushSubnormals {
 public:
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH > 4
  static constexpr bool kFlushes = true;
  LISSOM_INLINE FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
  LISSOM_INLINE ~FlushSubnormals() { _mm_setcsr(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  unsigned before_;
#else
  static constexpr bool kFlushes = false;
#endif
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
