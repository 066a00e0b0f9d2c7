// SPDX-License-Identifier: MIT
#include "core/error.h"

#include <gtest/gtest.h>

TEST(Error, IsEmptyUnlessItSpeaks) {
  EXPECT_FALSE(lissom::Error());
  EXPECT_TRUE(lissom::Error("joints must be unit"));
}
