// SPDX-License-Identifier: MIT
#include "core/simd/x86_levels.h"

#ifdef LISSOM_X86
#include <cpuid.h>

#include <initializer_list>

namespace lissom {
namespace {

// What CPUID says, registers and bits as in Intel's Software Developer's Manual, volume 2A. A leaf that the processor
// lacks is zero.
struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;

  Leaf(unsigned leaf, unsigned subleaf) {
    if (!__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d)) a = b = c = d = 0;
  }
};

constexpr unsigned bits(std::initializer_list<int> places) {
  unsigned mask = 0;
  for (const int place : places) mask |= 1u << place;
  return mask;
}

constexpr bool has(unsigned value, unsigned mask) { return (value & mask) == mask; }

// The registers that the operating system saves: extended control register 0. Only to be read where OSXSAVE is set.
unsigned saved_registers() {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

int x86_level() {
  const unsigned basic = Leaf(1, 0).c, extended = Leaf(7, 0).b, amd = Leaf(0x80000001u, 0).c;
  constexpr int kOsXsave = 27;

  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
  if (!has(basic, bits({0, 9, 13, 19, 20, 23})) || !has(amd, bits({0}))) return 1;

  // FMA, MOVBE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  if (!has(basic, bits({12, 22, kOsXsave, 28, 29})) || !has(extended, bits({3, 5, 8})) ||
      !has(amd, bits({5}))) {
    return 2;
  }
  const unsigned saved = saved_registers();
  if (!has(saved, bits({1, 2}))) return 2;  // 128 bits of each register, and the upper 128

  if (!has(extended, bits({16, 17, 28, 30, 31}))) return 3;  // AVX-512 F, DQ, CD, BW, VL
#ifndef __APPLE__  // macOS saves them from the first use on, and sets the bits no sooner
  if (!has(saved, bits({5, 6, 7}))) return 3;  // masks, the upper 256 bits, registers 16 to 31
#endif
  return 4;
}

}  // namespace lissom
#endif
