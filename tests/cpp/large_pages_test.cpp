// SPDX-License-Identifier: MIT
#include "core/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lissom {
namespace {

TEST(LargePages, BeginOnALineAndLargeOnesOnAPage) {
  using Pages = LargePages<float>;
  const std::size_t least = Pages::kLeastLarge / sizeof(float);
  for (const std::size_t count : {std::size_t{1}, least - 1, least, 3 * least + 1}) {
    LargeVector<float> numbers(count, 0.5f);
    const std::size_t start = count < least ? kCacheLine : Pages::kPage;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % start, 0u) << count;
    numbers.back() = 2.0f;
    numbers.resize(2 * count);
    EXPECT_EQ(numbers[count - 1], 2.0f);
    if (count > 1) {
      EXPECT_EQ(numbers[0], 0.5f);
    }
  }
}

TEST(LargePages, MoreThanThereIsIsRefused) {
  LargePages<double> pages;
  EXPECT_THROW((void)pages.allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_array_new_length);
}

}  // namespace
}  // namespace lissom
