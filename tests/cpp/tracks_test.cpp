// SPDX-License-Identifier: MIT
#include "core/animation/tracks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace lissom {
namespace {

constexpr std::int64_t kFarAway = std::numeric_limits<std::int64_t>::max();

// Two joints at rest at the origin.
const std::vector<float> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
// Two times, then two rotations.
const std::vector<float> kKeys{0, 1, 0, 0, 0, 1, 0, 0, 1, 0};
const Track kRotation{1, 1, 1, 2, 0, 2};

std::string sentence(const Track& track, const std::vector<float>& keys = kKeys) {
  TrackSet<float> set;
  const Track tracks[] = {track};
  return TrackSet<float>::make(tracks, keys, kRest, set).sentence();
}

bool says(const std::string& whole, const char* part) { return whole.find(part) != std::string::npos; }

TEST(Tracks, MoreJointsThanOffsetsReachAreRefused) {
  // Three times this is 2 in 64 bits: as a length it would let any joint write where nothing is.
  const std::size_t joint_count = 6148914691236517206u;
  Track track = kRotation;
  track.joint = std::numeric_limits<std::int32_t>::max();
  const Track tracks[] = {track};
  TimeSpan span;
  const Error error =
      check_tracks(std::span<const Track>(tracks), std::span<const float>(kKeys), joint_count, span);
  EXPECT_TRUE(says(error.sentence(), "joint_count must be at most"));
}

TEST(Tracks, AreRefusedByTheRuleTheyBreak) {
  EXPECT_EQ(sentence(kRotation), "");
  {  // Joint outside the skeleton.
    Track track = kRotation;
    track.joint = 2;
    EXPECT_TRUE(says(sentence(track), "joint must lie in [0, 2), got 2"));
  }
  {  // Unknown path.
    Track track = kRotation;
    track.path = 4;
    EXPECT_TRUE(says(sentence(track), "path must be"));
  }
  {  // Unknown interpolation.
    Track track = kRotation;
    track.interpolation = -1;
    EXPECT_TRUE(says(sentence(track), "interpolation must be"));
  }
  {  // No key.
    Track track = kRotation;
    track.key_count = 0;
    EXPECT_TRUE(says(sentence(track), "key_count must be at least 1"));
  }
  {  // Offsets whose end overflows.
    Track track = kRotation;
    track.times = kFarAway;
    EXPECT_TRUE(says(sentence(track), "times at offset"));
    track = kRotation;
    track.values = kFarAway - 7;
    EXPECT_TRUE(says(sentence(track), "value elements at offset"));
  }
  {  // The last value element is one too many.
    Track track = kRotation;
    track.values = 3;
    EXPECT_TRUE(says(sentence(track), "must lie inside keys, which has 10 elements"));
  }
  {  // Key times.
    std::vector<float> keys = kKeys;
    keys[1] = 0;
    EXPECT_TRUE(says(sentence(kRotation, keys), "must increase strictly"));
    keys[1] = NAN;
    EXPECT_TRUE(says(sentence(kRotation, keys), "must be finite"));
  }
  {  // Values.
    std::vector<float> keys = kKeys;
    keys[4] = INFINITY;
    EXPECT_TRUE(says(sentence(kRotation, keys), "values of key 0 must be finite"));
    keys = kKeys;
    keys[8] = 0;
    EXPECT_TRUE(says(sentence(kRotation, keys), "rotation of key 1 must be a unit quaternion"));
  }
}

TEST(Tracks, OfOneJointAndPathAreRefused) {
  TrackSet<float> set;
  const Track tracks[] = {kRotation, kRotation};
  EXPECT_TRUE(says(TrackSet<float>::make(tracks, kKeys, kRest, set).sentence(), "same joint and path"));
}

TEST(Tracks, WithEqualTimesShareATimeline) {
  // The same times twice, at different offsets, then others.
  const std::vector<float> keys{0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2};
  const Track tracks[] = {{0, 0, 1, 2, 0, 6}, {0, 2, 1, 2, 2, 6}, {1, 0, 1, 2, 4, 6}};
  TrackSet<float> set;
  ASSERT_FALSE(TrackSet<float>::make(tracks, keys, kRest, set));
  ASSERT_EQ(set.timelines().size(), 2u);
  ASSERT_EQ(set.vectors().linear.size(), 3u);
  EXPECT_EQ(set.vectors().linear[0].timeline, set.vectors().linear[1].timeline);
  EXPECT_EQ(set.span().end, 2.0);
}

TEST(Tracks, ShareATimelineAcrossAnyNumberOfOthers) {
  // Of 60 tracks every third has the times 0, 1; the others have their own.
  std::vector<float> keys{0, 0, 0, 1, 1, 1};
  std::vector<Track> tracks;
  for (int i = 0; i < 60; ++i) {
    const auto times = static_cast<std::int64_t>(keys.size());
    keys.insert(keys.end(), {0.0f, i % 3 ? 2.0f + static_cast<float>(i) : 1.0f});
    tracks.push_back({i / 3, i % 3 == 1 ? 2 : 0, 1, 2, times, 0});
    if (i % 3 == 2) tracks.pop_back();
  }
  TrackSet<float> set;
  ASSERT_FALSE(TrackSet<float>::make(tracks, keys, std::vector<float>(200, 1), set));
  EXPECT_EQ(set.timelines().size(), 21u);
}

TEST(Tracks, ThatNeverChangeAreFoldedIntoTheBasePose) {
  const std::vector<float> keys{0, 1, 5, 6, 7, 5, 6, 7};
  const Track tracks[] = {{1, 2, 1, 2, 0, 2}};
  TrackSet<float> set;
  ASSERT_FALSE(TrackSet<float>::make(tracks, keys, kRest, set));
  EXPECT_EQ(set.channel_count(), 0u);
  EXPECT_EQ(set.base_pose()[17], 5.0f);
  EXPECT_EQ(set.span().end, 1.0);
}

}  // namespace
}  // namespace lissom
