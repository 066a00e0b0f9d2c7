// SPDX-License-Identifier: MIT
#include "core/ik/foot_placement.h"

#include <gtest/gtest.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lissom {
namespace {

constexpr std::size_t kJoints = 4;  // root, hip, knee, ankle; y up, the foot has one point below the ankle

FootPlan plan_of_one_leg() {
  FootPlan plan;
  plan.joint_count = kJoints;
  for (std::int32_t i = 0; i < 4; ++i) plan.joints.push_back({i, i - 1});
  plan.bodies = {0}, plan.frames = {3};
  plan.legs.push_back({1, 3, -1, -1, 0, 1, 1, 0, 1.0});
  plan.first_influences = {0, 1};
  plan.influences.push_back({3, 0, 1.0, {0.0, -0.1, 0.0}});
  plan.shares = {0.0};
  plan.options.size = 1.5, plan.options.mean_length = 1.0;
  plan.options.max_angle = 0.7, plan.options.slope_cosine = 0.5, plan.options.slope_tangent = 1.7,
  plan.options.ray_height = 2.0;
  plan.options.max_step_up = plan.options.max_step_down = 0.8;
  plan.options.swing_rate = plan.options.tilt_rate = plan.options.blend_rate = plan.options.body_rate = 10.0;
  plan.options.foot_speed = 4.0;
  return plan;
}

// A leg that is slightly bent ahead, of two bones of 0.5.
std::vector<float> pose() {
  std::vector<float> trs(kJoints * 10);
  for (std::size_t i = 0; i < kJoints; ++i)
    trs[10 * i + 6] = trs[10 * i + 7] = trs[10 * i + 8] = trs[10 * i + 9] = 1;
  trs[1] = 1.1f - 0.02f;
  const float half = 0.1f;
  trs[10 + 3] = -std::sin(half), trs[10 + 6] = std::cos(half);
  trs[20 + 1] = trs[30 + 1] = -0.5f;
  trs[20 + 3] = std::sin(2 * half), trs[20 + 6] = std::cos(2 * half);
  trs[30 + 3] = -std::sin(half), trs[30 + 6] = std::cos(half);
  return trs;
}

IkTree leg_tree(const std::vector<float>& rest) {
  const std::array<std::int32_t, kJoints> parents = {-1, 0, 1, 2};
  IkTree tree;
  const std::vector<std::vector<std::int32_t>> chains = {{1, 2, 3}};
  EXPECT_FALSE(IkTree::make(parents, rest, {"root", "hip", "knee", "ankle"}, chains, {}, {}, {}, tree));
  return tree;
}

struct Case {
  FootPlan plan = plan_of_one_leg();
  std::vector<float> rest = pose();
  IkTree tree = leg_tree(rest);
  std::array<double, 4> heights = {0.2, 0.2, 0.2, 0.2};
  FootField::Axis places = {-5, 10};
  std::vector<double> dt = {0.1}, before, after, feet[5], three[2];
  std::vector<float> out = std::vector<float>(kJoints * 10);
  std::vector<double> body = {0};
  std::vector<std::uint8_t> flags[2];

  FootPlacementJob<float> job() {
    before.assign(foot_state_size(plan), 0.0), after = before;
    for (auto& each : feet) each.assign(1, 0.0);
    for (auto& each : three) each.assign(3, 0.0);
    for (auto& each : flags) each.assign(1, 0);
    FootPlacementJob<float> result;
    result.plan = &plan, result.legs = &tree;
    result.ground = {heights.data(), places, places, 2, 2, 0.0};
    result.body_ground = result.ground;
    result.poses = rest, result.dt = dt, result.before = before, result.after = after, result.out = out;
    result.used_contacts = feet[0], result.ground_heights = feet[1], result.offsets = feet[2];
    result.weights = feet[3], result.residuals = feet[4];
    result.targets = three[0], result.normals = three[1], result.body_offset = body;
    result.airborne = flags[0], result.too_far = flags[1];
    return result;
  }
};

TEST(FootPlacement, RaisesAFootToTheGround) {
  Case one;
  bool done = false;
  EXPECT_FALSE(one.job().run(&done));
  EXPECT_TRUE(done);
  EXPECT_TRUE(std::abs(one.feet[1][0] - 0.2) < 1e-9);  // ground_heights
  EXPECT_TRUE(std::abs(one.body[0] - 0.2) < 0.05);
  EXPECT_TRUE(one.feet[4][0] < 1e-4);  // residuals
  EXPECT_TRUE(!one.flags[0][0] && !one.flags[1][0]);
  EXPECT_TRUE(std::abs(one.out[1] - (one.rest[1] + static_cast<float>(one.body[0]))) < 1e-6f);
}

TEST(FootPlacement, FindsNothingBesideTheField) {
  Case one;
  one.places = {5, 1};
  bool done = false;
  EXPECT_FALSE(one.job().run(&done));
  EXPECT_TRUE(done && one.flags[0][0]);
  EXPECT_TRUE(std::isnan(one.feet[1][0]));
}

TEST(FootPlacement, RefusesAFieldWithoutSteps) {
  Case one;
  one.places.step = 0;
  bool done = false;
  EXPECT_EQ(one.job().run(&done).sentence(), "ground must have steps above 0");
}

TEST(FootPlacement, LeavesAFootOfNoSizeToPython) {
  Case one;
  one.rest[37] = one.rest[38] = one.rest[39] = 0;
  bool done = true;
  EXPECT_FALSE(one.job().run(&done));
  EXPECT_TRUE(!done);
}

#ifdef __SSE2__
// Denormal numbers are 0 while it lives, as other libraries of a process may have set.
class FlushedDenormals {
 public:
  FlushedDenormals() { _mm_setcsr(before_ | 0x8040); }
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;
  ~FlushedDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
};

// The second step of a foot that stands, on ground that has come up by then, while the character has moved on.
struct SecondStep {
  double first_body, body, target;
};

SecondStep second_step() {
  Case one;
  one.plan.options.lock = 1, one.plan.options.lock_radius = 0.2;
  const std::vector<double> contacts = {1};
  std::vector<double> world = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  FootPlacementJob<float> job = one.job();
  job.contacts = contacts, job.world = world;
  bool done = false;
  EXPECT_FALSE(job.run(&done));
  EXPECT_TRUE(done);
  const double first = one.body[0];
  one.before = one.after;
  one.heights.fill(0.3), world[0] = 0.05;
  EXPECT_FALSE(job.run(&done));
  EXPECT_TRUE(done);
  return {first, one.body[0], one.three[0][0]};
}

TEST(FootPlacement, StepsOnWhereDenormalsAreFlushed) {
  const SecondStep usual = second_step();
  EXPECT_TRUE(usual.body < usual.first_body + 0.05);  // the spring lags
  EXPECT_TRUE(std::abs(usual.target) < 1e-3);         // the foot stays where it was
  const FlushedDenormals flushed;
  const SecondStep other = second_step();
  EXPECT_TRUE(std::abs(other.body - usual.body) < 1e-12);
  EXPECT_TRUE(std::abs(other.target - usual.target) < 1e-12);
}
#endif

TEST(FootPlacement, RefusesWhatDoesNotFit) {
  Case one;
  bool done = false;
  FootPlacementJob<float> job = one.job();
  job.offsets = {};
  EXPECT_EQ(job.run(&done).sentence(), "outputs must have an entry for each leg");
  one.plan.influences[0].joint = 4;
  EXPECT_EQ(one.plan.check().sentence(), "influences must name joints of the list");
  one.plan = plan_of_one_leg();
  one.plan.rings.push_back({0, 1, 0.0});
  EXPECT_EQ(one.plan.check().sentence(), "rings must be sorted by legs, and join points of one");
  one.plan.rings = {{1, 0, 0.0}};
  EXPECT_EQ(one.plan.check().sentence(), "rings must name points");
  one.plan = plan_of_one_leg();
  one.plan.joints[1].parent = 2;
  EXPECT_EQ(one.plan.check().sentence(), "parents must come before children");
}

}  // namespace
}  // namespace lissom
