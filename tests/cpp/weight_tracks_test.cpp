// SPDX-License-Identifier: MIT
#include "core/animation/weight_tracks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lissom {
namespace {

constexpr auto kWeight = static_cast<std::int32_t>(TrackPath::kWeight);

// Of five morph targets numbers 1 and 2 run from 1 to 3 and from 5 to 9, at 0 s and 2 s; number 4 steps from 7 to 8 at
// 1 s; number 0 is always 6, by one key; number 3 has no track.
const std::vector<double> kKeys{0, 2, 1, 3, 5, 9, 0, 1, 7, 8, 0, 6};
const std::vector<Track> kTracks{
    {2, kWeight, 1, 2, 0, 4}, {1, kWeight, 1, 2, 0, 2}, {4, kWeight, 0, 2, 6, 8}, {0, kWeight, 1, 1, 10, 11}};
const std::vector<double> kDefaults{0, 0, 0, 0.25, 0};

class Weights : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(WeightTracks<double>::make(kTracks, kKeys, kDefaults, 0, false, tracks_));
    job_.tracks = &tracks_;
  }
  Error run(const std::vector<double>& times) {
    out_.assign(times.size() * 5, -7.0);
    job_.times = times;
    job_.out = out_;
    return job_.run();
  }
  WeightTracks<double> tracks_;
  WeightSamplingJob<double> job_;
  std::vector<double> out_;
};

TEST_F(Weights, LieSideBySideOnTheirTimeline) {
  ASSERT_EQ(tracks_.groups().size(), 2u);
  EXPECT_EQ(tracks_.groups()[0].morphs, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(tracks_.groups()[0].rows, (std::vector<double>{1, 5, 3, 9}));
  EXPECT_TRUE(tracks_.groups()[0].is_run);
  EXPECT_EQ(tracks_.channel_count(), 3u);
  EXPECT_EQ(tracks_.base()[0], 6.0);
}

TEST_F(Weights, FillOneRowPerTime) {
  ASSERT_FALSE(run({-1, 0.5, 1, 9}));
  EXPECT_EQ(out_,
            (std::vector<double>{6, 1, 5, 0.25, 7, 6, 1.5, 6, 0.25, 7, 6, 2, 7, 0.25, 8, 6, 3, 9, 0.25, 8}));
}

TEST_F(Weights, WrapWithTheWholeClip) {
  job_.loop = Loop::kYes;
  ASSERT_FALSE(run({2.5}));
  EXPECT_EQ(out_[1], 1.5);
}

TEST_F(Weights, AreTheSameInBlocks) {
  std::vector<double> times;
  for (int i = 0; i < 37; ++i) times.push_back(std::fmod(0.7 * i, 2.3));
  ASSERT_FALSE(run(times));
  const std::vector<double> many = out_;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_FALSE(run({times[i]}));
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(out_[k], many[5 * i + k]);
  }
}

TEST_F(Weights, WriteNothingOnError) {
  EXPECT_EQ(run({0, NAN}).sentence(), "times must be finite, got nan at element 1");
  EXPECT_EQ(out_, std::vector<double>(10, -7.0));
  out_.resize(9);
  job_.out = out_;
  EXPECT_EQ(job_.run().sentence(), "out must hold 5 weights for each of 2 times");
}

TEST_F(Weights, AreFoundOnAGridWithoutSearch) {
  const std::vector<double> keys{0, 1, 2, 10, 30, 20};
  const std::vector<Track> tracks{{3, kWeight, 1, 3, 0, 3}};
  ASSERT_FALSE(WeightTracks<double>::make(tracks, keys, kDefaults, 0, true, tracks_));
  ASSERT_TRUE(tracks_.is_uniform());
  ASSERT_FALSE(run({-1, 0.5, 1, 1.5, 2, 3}));
  const double expected[] = {10, 20, 30, 25, 20, 20};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out_[5 * i + 3], expected[i]);
  const std::vector<double> off_grid{0, 1.5, 2, 10, 30, 20};
  EXPECT_TRUE(WeightTracks<double>::make(tracks, off_grid, kDefaults, 0, true, tracks_));
}

TEST_F(Weights, NameTheirMorphTargets) {
  std::vector<Track> tracks{{5, kWeight, 1, 2, 0, 2}};
  const auto sentence = [&] {
    return WeightTracks<double>::make(tracks, kKeys, kDefaults, 0, false, tracks_).sentence();
  };
  EXPECT_NE(sentence().find("the number of its morph target, must lie in [0, 5), got 5"), std::string::npos);
  tracks = {{1, kWeight, 1, 2, 0, 2}, {1, kWeight, 0, 1, 0, 2}};
  EXPECT_NE(sentence().find("track 1 (morph 1, weight): an earlier track has the same morph target"),
            std::string::npos);
  tracks = {{1, kWeight, 2, 2, 0, 7}};
  EXPECT_NE(sentence().find("its 6 value elements at offset 7 must lie inside keys"), std::string::npos);
}

}  // namespace
}  // namespace lissom
