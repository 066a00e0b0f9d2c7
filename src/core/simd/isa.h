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
//   portable  128-bit vectors as the compiler translates them: every machine that is not x86-64
//   exact     the same, every product and sum rounded by itself: for deterministic mode
enum class Isa { kPortable, kExact, kV2, kV3, kV4 };

// "portable", "exact", "v2", "v3", "v4". All but "exact" are values of LISSOM_ISA.
const char* isa_name(Isa isa);

// Lanes of float32 in the kernels of an instruction set.
int isa_width(Isa isa);

// The instruction sets that this build has and this machine runs, the narrowest first. Empty on an x86-64 machine
// before 2009.
std::vector<Isa> runnable_isas();

// The one in use, chosen at the first call: the widest that runs here, or the one that LISSOM_ISA names.
// Where that is unknown or does not run here, `isa_error()` says so and the widest is in use.
Isa chosen_isa();
const Error& isa_error();

// Chooses from `runnable` the set that is `requested` (null or empty: the widest).
Error choose_isa(const char* requested, const std::vector<Isa>& runnable, Isa* chosen);

// Deterministic mode: kernels give the same bits whatever the instruction set and the number of threads. Off at the
// start, unless LISSOM_DETERMINISTIC is 1. One for the process: jobs that run in other threads when it changes
// may take either kernels.
bool is_deterministic();
void set_deterministic(bool on);
// What is wrong with LISSOM_DETERMINISTIC; the mode is off then.
const Error& deterministic_error();

// The value of LISSOM_DETERMINISTIC alone; null or empty: off.
Error read_deterministic(const char* value, bool* on);

// The set whose kernels run: exact_isa() in deterministic mode, else the chosen one.
Isa kernel_isa();

// The set of deterministic mode, which runs on every machine of its kind: 128 bits wide (some kernels
// branch for groups of lanes, which are the same everywhere then), without estimates, without fused products and sums.
// v2 satisfies this, as it has no fused products; elsewhere `exact` is built beside `portable`.
constexpr Isa exact_isa() {
#ifdef LISSOM_X86
  return Isa::kV2;
#else
  return Isa::kExact;
#endif
}

}  // namespace lissom

// A kernel table is a struct of function pointers of which every instruction set defines one instance, `name` in
// namespace lissom::v2 and so on. LISSOM_KERNEL_TABLE declares them all, and `name()`, which returns the one for
// kernel_isa(), and `name(isa)`. Call it once per job: tables of two sets may need different scratch memory.
// LISSOM_EQUAL_KERNEL_TABLE is for kernels that give the same bits in every set (built without contraction,
// src/core/CMakeLists.txt, and without estimates): deterministic mode does not change them. Use either in namespace
// lissom itself (not in an unnamed one: the tables are not there), in the .cpp that calls the kernels.
#ifdef LISSOM_X86
#define LISSOM_DECLARE_TABLES(Table, name)                                     \
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
  }
#define LISSOM_KERNEL_TABLE(Table, name) \
  LISSOM_DECLARE_TABLES(Table, name)     \
  [[maybe_unused]] static const Table& name() { return name(kernel_isa()); }
#define LISSOM_EQUAL_KERNEL_TABLE(Table, name)       \
  LISSOM_DECLARE_TABLES(Table, name)                 \
  [[maybe_unused]] static const Table& name() {      \
    static const Table& chosen = name(chosen_isa()); \
    return chosen;                                   \
  }
#else
#define LISSOM_KERNEL_TABLE(Table, name)                                                          \
  namespace portable {                                                                            \
  extern const Table name;                                                                        \
  }                                                                                               \
  namespace exact {                                                                               \
  extern const Table name;                                                                        \
  }                                                                                               \
  static const Table& name(Isa isa) { return isa == Isa::kExact ? exact::name : portable::name; } \
  [[maybe_unused]] static const Table& name() { return name(kernel_isa()); }
#define LISSOM_EQUAL_KERNEL_TABLE(Table, name)             \
  namespace portable {                                     \
  extern const Table name;                                 \
  }                                                        \
  static const Table& name(Isa) { return portable::name; } \
  [[maybe_unused]] static const Table& name() { return name(chosen_isa()); }
#endif
