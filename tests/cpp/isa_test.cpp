// SPDX-License-Identifier: MIT
#include "core/simd/isa.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lissom {
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

TEST(Isa, WidthsAreThoseOfTheVectors) {
  EXPECT_EQ(isa_width(Isa::kV2), 4);
  EXPECT_EQ(isa_width(Isa::kV3), 8);
  EXPECT_EQ(isa_width(Isa::kV4), 16);
}

}  // namespace
}  // namespace lissom
