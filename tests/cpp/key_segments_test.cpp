// SPDX-License-Identifier: MIT
#include "core/animation/key_segments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/simd/isa.h"

namespace lissom {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A polyline of 40 keys, one a second: the unit steps of its corners are at keys 7 and 25.
struct Corners {
  static constexpr std::size_t kKeys = 40;
  std::vector<double> times, values, levers = std::vector<double>(kKeys, 1.0);

  explicit Corners(bool rotates = false) {
    double x = 0.0;
    for (std::size_t key = 0; key < kKeys; ++key) {
      times.push_back(static_cast<double>(key));
      const double s = std::sin(0.05 * x), c = std::cos(0.05 * x);
      if (rotates) {
        values.insert(values.end(), {0.6 * s, 0.0, 0.8 * s, c});
      } else {
        values.insert(values.end(), {x, 0.0, 2.0 * x, 0.0});
      }
      x += key < 7 ? 1.0 : key < 25 ? -0.5 : 0.25;
    }
    rotation = rotates;
  }
  KeyTrack track() const { return {times, values, levers, rotation}; }
  bool rotation;
};

std::vector<std::size_t> kept(const KeySegments& segments, double bound) {
  std::vector<std::uint8_t> flags(segments.key_count(), 7);
  const std::vector<double> bounds(segments.track_count(), bound);
  EXPECT_FALSE(segments.keep(bounds, flags));
  std::vector<std::size_t> keys;
  for (std::size_t key = 0; key < flags.size(); ++key) {
    if (flags[key]) keys.push_back(key);
  }
  return keys;
}

TEST(KeySegments, KeepsTheCornersInEveryInstructionSet) {
  const bool was = is_deterministic();
  for (const bool deterministic : {false, true}) {
    set_deterministic(deterministic);
    for (const bool rotates : {false, true}) {
      const Corners corners(rotates);
      KeySegments segments;
      ASSERT_FALSE(KeySegments::make(std::vector{corners.track()}, 1.0, segments));
      EXPECT_EQ(kept(segments, 1e-6), (std::vector<std::size_t>{0, 7, 25, 39})) << rotates;
      EXPECT_EQ(kept(segments, 0.0).front(), 0u);
    }
  }
  set_deterministic(was);
}

TEST(KeySegments, MeasuresBetweenKeysByLevers) {
  Corners corners;
  KeySegments segments;
  ASSERT_FALSE(KeySegments::make(std::vector{corners.track()}, 100.0, segments));
  EXPECT_EQ(kept(segments, 50.0).size(), 3u);  // one segment of 39 intervals is not of a length tried
  EXPECT_GT(kept(segments, 1.0).size(), 3u);
  for (double& lever : corners.levers) lever *= 0.01;
  ASSERT_FALSE(KeySegments::make(std::vector{corners.track()}, 100.0, segments));
  EXPECT_EQ(kept(segments, 0.5).size(), 3u);
}

TEST(KeySegments, OfSeveralTracksEachHasItsBound) {
  const Corners a, b(true);
  KeySegments segments;
  ASSERT_FALSE(KeySegments::make(std::vector{a.track(), b.track()}, 100.0, segments));
  std::vector<std::uint8_t> flags(2 * Corners::kKeys);
  ASSERT_FALSE(segments.keep(std::vector{50.0, 1e-6}, flags));
  int first = 0, second = 0;
  for (std::size_t key = 0; key < Corners::kKeys; ++key) {
    first += flags[key];
    second += flags[Corners::kKeys + key];
  }
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 4);
}

TEST(KeySegments, AreRefusedByTheRuleTheyBreak) {
  const Corners corners;
  KeySegments segments;
  const auto refused = [&](const Corners& broken, double limit = 1.0) {
    return static_cast<bool>(KeySegments::make(std::vector{broken.track()}, limit, segments));
  };
  EXPECT_TRUE(refused(corners, kNan));
  for (const double time : {kNan, 2.0, 1.0}) {
    Corners broken;
    broken.times[3] = time;
    EXPECT_TRUE(refused(broken)) << time;
  }
  for (const double lever : {kNan, -1.0}) {
    Corners broken;
    broken.levers[3] = lever;
    EXPECT_TRUE(refused(broken)) << lever;
  }
  Corners cut;
  cut.values.pop_back();
  EXPECT_TRUE(refused(cut));
  Corners one;
  one.times.resize(1), one.values.resize(4), one.levers.resize(1);
  EXPECT_TRUE(refused(one));
  EXPECT_EQ(segments.key_count(), 0u);

  ASSERT_FALSE(KeySegments::make(std::vector{corners.track()}, 1.0, segments));
  std::vector<std::uint8_t> flags(Corners::kKeys, 7);
  EXPECT_TRUE(segments.keep(std::vector{kNan}, flags));
  EXPECT_TRUE(segments.keep(std::vector{-1.0}, flags));
  EXPECT_TRUE(segments.keep(std::vector{1.0, 1.0}, flags));
  EXPECT_TRUE(segments.keep(std::vector{1.0}, std::span(flags).first(39)));
  for (const std::uint8_t flag : flags) EXPECT_EQ(flag, 7);
}

}  // namespace
}  // namespace lissom
