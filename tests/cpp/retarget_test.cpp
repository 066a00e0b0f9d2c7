// SPDX-License-Identifier: MIT
#include "core/retarget/retarget.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace lissom {
namespace {

// Both bodies: hips 1 above the ground, and one joint 1 above them.
const std::vector<std::int32_t> kParents{-1, 0}, kOrder{0, 1};
const std::vector<double> kRest{0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};

RetargetBody body() {
  RetargetBody made{};
  made.source_from_model[3] = made.heading_factor[3] = 1;
  made.scale = 2;
  made.up[1] = 1;
  return made;
}
RetargetTurn follows(std::int32_t joint, std::int32_t first, std::int32_t second, double weight) {
  RetargetTurn turn{};
  turn.first_factor[3] = turn.second_factor[3] = 1;
  turn.joint = joint, turn.first = first, turn.second = second, turn.weight = weight;
  return turn;
}

class Retarget : public testing::Test {
 protected:
  Error make() {
    return RetargetPlan::make(kParents, kParents, kRest, order, body_, turns, twists, places, limbs, plan);
  }
  Error run() {
    out.assign(poses.size(), -7.0);
    RetargetJob<double> job;
    job.plan = &plan, job.poses = poses, job.out = out;
    return job.run();
  }
  void expect(const Error& error, const char* part) {
    ASSERT_TRUE(error);
    EXPECT_NE(error.sentence().find(part), std::string::npos) << error.sentence();
  }
  std::vector<std::int32_t> order = kOrder;
  RetargetBody body_ = body();
  std::vector<RetargetTurn> turns{follows(0, 0, 0, 0), follows(1, 0, 1, 0.5)};
  std::vector<RetargetTwist> twists;
  std::vector<RetargetPlace> places;
  std::vector<RetargetLimb> limbs;
  RetargetPlan plan;
  std::vector<double> poses = kRest, out;
};

TEST_F(Retarget, FollowsTwoJointsAndScalesTheHips) {
  ASSERT_FALSE(make());
  // The source's second joint turns by 90 degrees about z, its hips are at height 3.
  poses[1] = 3, poses[15] = std::sqrt(0.5), poses[16] = std::sqrt(0.5);
  ASSERT_FALSE(run());
  EXPECT_DOUBLE_EQ(out[1], 6);
  EXPECT_NEAR(out[15], std::sin(std::numbers::pi / 8), 1e-15);  // half of the turn: 45 degrees
  EXPECT_NEAR(out[16], std::cos(std::numbers::pi / 8), 1e-15);
  EXPECT_EQ(out[11], 1);  // translation of rest
}

TEST_F(Retarget, RefusesJointsThatAreNone) {
  body_.hips = 2;
  expect(make(), "body must name joints of the skeletons, got 2");
  body_.hips = 0, body_.source_hips = -1;
  expect(make(), "body must name joints of the skeletons, got -1");
  body_.source_hips = 0;
  turns[1].second = 5;
  expect(make(), "turns must name joints of the skeletons, got 5");
  turns[1].second = 1;
  twists = {RetargetTwist{}};
  twists[0].other = 9;
  expect(make(), "twists must name joints of the skeletons, got 9");
  twists.clear();
  places = {RetargetPlace{}};
  places[0].limb = 0;
  expect(make(), "places must name joints of the skeletons, got 0");
  places.clear();
  limbs = {RetargetLimb{}};
  limbs[0].source_toes = 3;
  expect(make(), "limbs must name joints of the skeletons, got 3");
}

TEST_F(Retarget, RefusesAnOrderInWhichAJointComesTooEarlyOrTwice) {
  order = {0};
  expect(make(), "order must hold each joint of the target once");
  for (const auto& wrong : {std::array{1, 0}, std::array{0, 0}}) {
    order.assign(wrong.begin(), wrong.end());
    expect(make(), "too early or twice");
  }
  order = {0, 4};
  expect(make(), "order must name joints of the skeletons, got 4");
}

TEST_F(Retarget, RefusesSizesThatDoNotFit) {
  ASSERT_FALSE(make());
  poses.pop_back();
  expect(run(), "poses must hold whole poses of the source");
  poses = kRest;
  RetargetJob<double> job;
  job.poses = poses;
  expect(job.run(), "plan must be given");
  job.plan = &plan;
  expect(job.run(), "out must hold one pose for each of poses");
}

TEST_F(Retarget, NamesTheFirstPoseThatIsNotUnitOrFinite) {
  ASSERT_FALSE(make());
  for (const double wrong : {2.0, double{NAN}}) {
    poses = kRest;
    poses.insert(poses.end(), kRest.begin(), kRest.end());
    poses[36] = wrong;
    expect(run(), "got joint 1 of pose 1, which is not");
  }
}

}  // namespace
}  // namespace lissom
