// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace lissom {

// An instruction set that the *_kernels.cpp files are compiled for.
//   v2        128-bit vectors: SSE4.2 (x86-64-v2)
//   v3        256-bit vectors: AVX2, FMA, BMI (x86-64-v3)
//   v4        512-bit vectors: AVX-512 F, BW, VL, DQ, CD (x86-64-v4)
//   portable  128-bit vectors in whatever the compiler makes of them: every machine that is not x86-64
enum class Isa { kPortable, kV2, kV3, kV4 };

// "portable", "v2", "v3", "v4": what LISSOM_ISA may say.
const char* isa_name(Isa isa);

// Lanes of float32 in the kernels of an instruction set.
int isa_width(Isa isa);

// Those that this build has and this machine runs, the narrowest first. Empty on an x86-64 machine
// before 2009.
std::vector<Isa> runnable_isas();

// The one in use, chosen at the first call: the widest that runs here, or the one that LISSOM_ISA names.
// Where that is unknown or does not run here, `isa_error()` says so and the widest is in use.
Isa chosen_isa();
const Error& isa_error();

// The choice by itself: what `wanted` (null or empty: no wish) makes of `runnable`.
Error choose_isa(const char* wanted, const std::vector<Isa>& runnable, Isa* chosen);

}  // namespace lissom

// A kernel table is a struct of function pointers of which every instruction set defines one instance, `name`
// in namespace lissom::v2 and so on. This declares them all, and `name()`, which gives the chosen one, and
// `name(isa)`. Use it in namespace lissom itself (in no unnamed one: the tables lie elsewhere), in the .cpp that
// calls the kernels.
#ifdef LISSOM_X86
#define LISSOM_KERNEL_TABLE(Table, name)                                       \
  namespace v2 {                                                               \
  extern const Table name;                                                     \
  }                                                                            \
  namespace v3 {                                                               \
  extern const Table name;                                                     \
  }                                                                            \
  namespace v4 {                                                               \
  extern const Table name;                                                     \
  }                                                                            \
  static const Table& name(Isa isa) {                                          \
    return isa == Isa::kV4 ? v4::name : isa == Isa::kV3 ? v3::name : v2::name; \
  }                                                                            \
  [[maybe_unused]] static const Table& name() {                                \
    static const Table& chosen = name(chosen_isa());                           \
    return chosen;                                                             \
  }
#else
#define LISSOM_KERNEL_TABLE(Table, name)                   \
  namespace portable {                                     \
  extern const Table name;                                 \
  }                                                        \
  static const Table& name(Isa) { return portable::name; } \
  [[maybe_unused]] static const Table& name() { return name(chosen_isa()); }
#endif
