// SPDX-License-Identifier: MIT
#include "core/simd/isa.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/bake/texel_kernels.h"
#include "core/simd/x86_levels.h"
#include "core/skinning/kernels.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SignKernels, sign_kernels)
LISSOM_EQUAL_KERNEL_TABLE(TexelKernels, texel_kernels)

namespace {

TEST(Isa, OneInUseRunsHere) {
  const std::vector<Isa> runnable = runnable_isas();
  ASSERT_FALSE(runnable.empty());
  EXPECT_NE(std::find(runnable.begin(), runnable.end(), chosen_isa()), runnable.end());
}

TEST(Isa, WidestIsTakenWithoutAWish) {
  Isa chosen = Isa::kPortable;
  EXPECT_FALSE(choose_isa(nullptr, {Isa::kV2, Isa::kV3}, &chosen));
  EXPECT_EQ(chosen, Isa::kV3);
  EXPECT_FALSE(choose_isa("", {Isa::kV2}, &chosen));
  EXPECT_EQ(chosen, Isa::kV2);
}

#ifdef LISSOM_X86
#ifdef __GLIBC__  // elsewhere the compiler's library may know nothing (core/simd/x86_levels.h)
TEST(Isa, LevelIsTheOneThatTheCompilersLibraryFinds) {
  __builtin_cpu_init();
  const int expected = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                               __builtin_cpu_supports("avx512cd")
                           ? 4
                       : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
                           ? 3
                       : __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? 2
                                                                                              : 1;
  EXPECT_EQ(x86_level(), expected);
  EXPECT_EQ(runnable_isas().size(), static_cast<std::size_t>(expected - 1));
}
#endif

TEST(Isa, WishIsHonoured) {
  Isa chosen = Isa::kPortable;
  EXPECT_FALSE(choose_isa("v2", {Isa::kV2, Isa::kV3}, &chosen));
  EXPECT_EQ(chosen, Isa::kV2);
}

TEST(Isa, WishThatDoesNotRunHereSaysWhatDoes) {
  Isa chosen = Isa::kPortable;
  const Error error = choose_isa("v4", {Isa::kV2, Isa::kV3}, &chosen);
  EXPECT_EQ(error.sentence(),
            "LISSOM_ISA must be one of v2, v3, v4, of which this machine runs v2, v3, got 'v4'; leave it "
            "unset to take "
            "the fastest");
  EXPECT_EQ(chosen, Isa::kV3);  // usable all the same
}
#endif

TEST(Isa, MachineThatRunsNoneIsRefused) {
  Isa chosen = Isa::kPortable;
  EXPECT_TRUE(choose_isa(nullptr, {}, &chosen));
}

TEST(Isa, DeterministicModeIsReadAsZeroOrOne) {
  bool on = true;
  for (const char* none : {static_cast<const char*>(nullptr), "", "0"}) {
    EXPECT_FALSE(read_deterministic(none, &on));
    EXPECT_FALSE(on);
  }
  EXPECT_FALSE(read_deterministic("1", &on));
  EXPECT_TRUE(on);
  EXPECT_EQ(read_deterministic("yes", &on).sentence(),
            "LISSOM_DETERMINISTIC must be 0 or 1, got 'yes'; leave it unset for the fastest kernels");
  EXPECT_FALSE(on);
}

TEST(Isa, DeterministicModeTakesTheExactKernels) {
  const bool before = is_deterministic();
  set_deterministic(true);
  EXPECT_EQ(kernel_isa(), exact_isa());
  EXPECT_EQ(&sign_kernels(), &sign_kernels(exact_isa()));
  EXPECT_EQ(&texel_kernels(), &texel_kernels(chosen_isa()));  // the same bits in every set: the fastest
  set_deterministic(false);
  EXPECT_EQ(kernel_isa(), chosen_isa());
  EXPECT_EQ(&sign_kernels(), &sign_kernels(chosen_isa()));
  set_deterministic(before);
}

TEST(Isa, ExactKernelsRunOnEveryMachine) {
  EXPECT_EQ(isa_width(exact_isa()), 4);
#ifdef LISSOM_X86
  EXPECT_EQ(exact_isa(), runnable_isas().front());
#endif
}

TEST(Isa, WidthsAreThoseOfTheVectors) {
  EXPECT_EQ(isa_width(Isa::kV2), 4);
  EXPECT_EQ(isa_width(Isa::kV3), 8);
  EXPECT_EQ(isa_width(Isa::kV4), 16);
}

}  // namespace
}  // namespace lissom
