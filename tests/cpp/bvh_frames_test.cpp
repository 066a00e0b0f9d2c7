// SPDX-License-Identifier: MIT
#include "core/animation/bvh_frames.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace lissom {
namespace {

struct Read {
  BvhFramesJob job;
  std::vector<double> numbers;
  Error error;
};

Read read(const std::string& text, std::size_t channel_count) {
  Read result;
  result.numbers.resize(BvhFramesJob::capacity(text.size(), channel_count));
  result.job.text = text;
  result.job.first_line = 10;
  result.job.channel_count = channel_count;
  result.job.out = result.numbers;
  result.error = result.job.run();
  return result;
}

bool says(const std::string& whole, const char* part) { return whole.find(part) != std::string::npos; }

TEST(BvhFrames, NumbersAreTheNearestDoubles) {
  // Halves of the last place, limits of the fast path, subnormals, more digits than 64 bits hold.
  const std::vector<std::string> words = {"0",
                                          "-0.0",
                                          "+1.5",
                                          ".5",
                                          "5.",
                                          "9007199254740993",
                                          "9007199254740992e22",
                                          "1e23",
                                          "1e-23",
                                          "2.2250738585072011e-308",
                                          "4.9e-324",
                                          "1e-400",
                                          "0.000000000000000000000000000000000000000001",
                                          "179769313486231570000000000000000000000e270",
                                          "123456789012345678901234567890.12345678901234567890",
                                          "0.1000000000000000055511151231257827021181583404541015625",
                                          "1.00000000000000011102230246251565404236316680908203125",
                                          "1E+5",
                                          "0e99999999999999999999"};
  for (const std::string& word : words) {
    const Read result = read(word, 1);
    ASSERT_EQ(result.job.fault, "") << word;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result.numbers[0]),
              std::bit_cast<std::uint64_t>(std::strtod(word.c_str(), nullptr)))
        << word;
  }
}

TEST(BvhFrames, RandomNumbersAreTheNearestDoubles) {
  std::mt19937_64 random(7);
  std::string text;
  std::vector<double> expected;
  for (int i = 0; i < 20000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
    char word[64];
    std::snprintf(word, sizeof(word), i % 2 ? "%.*g" : "%.*e", static_cast<int>(random() % 25), value);
    expected.push_back(std::strtod(word, nullptr));
    text += word;
    text += i % 4 == 3 ? "\r\n" : "\t ";
  }
  const Read result = read(text, 4);
  ASSERT_EQ(result.job.fault, "");
  ASSERT_EQ(result.job.frame_count, 5000u);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(result.numbers[i], expected[i]) << i;
}

TEST(BvhFrames, WhatIsNoFiniteNumberIsRefusedWithItsLine) {
  for (const char* word :
       {"nan", "inf", "-inf", "1e999", "0x10", "1,5", "1.2.3", "--1", "1e", ".", "-", "e5", "1f"}) {
    const Read result = read("1 2\r\n3 " + std::string(word) + "\n", 2);
    EXPECT_EQ(result.job.fault_line, 11) << word;
    EXPECT_TRUE(says(result.job.fault, ("got '" + std::string(word) + "'").c_str())) << result.job.fault;
    EXPECT_EQ(result.job.frame_count, 1u);
  }
  EXPECT_TRUE(says(read("1,5 2", 2).job.fault, "write a point before decimals"));
  EXPECT_TRUE(says(read(std::string("1 \0", 3), 2).job.fault, "got '?'"));
}

TEST(BvhFrames, AFrameMayFoldButNotShareALine) {
  EXPECT_EQ(read("1 2\n3\n\n4\r5\r\n6", 3).job.frame_count, 2u);
  const Read too_many = read("1 2 3\n4 5 6 7\n", 3);
  EXPECT_EQ(too_many.job.fault_line, 11);
  EXPECT_TRUE(says(too_many.job.fault, "this line goes on with '7'"));
  const Read too_few = read("1 2\n4 5 6\n7 8 9\n", 3);
  EXPECT_EQ(too_few.job.fault_line, 11);
  EXPECT_TRUE(says(too_few.job.fault, "begins in line 10 ends within this line"));
}

TEST(BvhFrames, ACutFrameIsCounted) {
  const Read result = read("1 2 3\n4 5", 3);
  EXPECT_EQ(result.job.frame_count, 1u);
  EXPECT_EQ(result.job.left_over_count, 2u);
  EXPECT_EQ(result.job.last_line, 11);
  EXPECT_EQ(read("1 2 3\n4 -", 3).job.left_over_count, 2u);
  EXPECT_EQ(read("1 2 3\n4e", 3).job.left_over_count, 1u);
  EXPECT_EQ(read("", 3).job.frame_count, 0u);
  EXPECT_EQ(read(" \n\t", 3).job.frame_count, 0u);
}

TEST(BvhFrames, RoomAndChannelsAreChecked) {
  BvhFramesJob job;
  EXPECT_TRUE(says(job.run().sentence(), "channel_count must be at least 1"));
  std::vector<double> numbers(2);
  job.text = "1 2 3 4 5 6";
  job.channel_count = 2;
  job.out = numbers;
  EXPECT_TRUE(says(job.run().sentence(), "out must hold 8 numbers, got 2"));
}

}  // namespace
}  // namespace lissom
