// SPDX-License-Identifier: MIT
#include "core/ik/ik_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace lissom {
namespace {

using Chain = std::vector<std::int32_t>;

//   0 - 1 - 2 - 3 - 4        a spine and one arm
//           |
//           5 - 6 - 7        the other
const std::vector<std::int32_t> kParents{-1, 0, 1, 2, 3, 2, 5, 6};

std::vector<float> rest_pose(std::size_t joints) {
  std::vector<float> rest;
  for (std::size_t i = 0; i < joints; ++i) rest.insert(rest.end(), {0, 1, 0, 0, 0, 0, 1, 1, 1, 1});
  return rest;
}

std::vector<std::string> names(std::size_t joints) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < joints; ++i) result.push_back("j" + std::to_string(i));
  return result;
}

Error make(const std::vector<Chain>& chains, const std::vector<std::int32_t>& fixed, IkTree& tree,
           const std::vector<JointLimit>& limits = {}) {
  return IkTree::make(kParents, rest_pose(8), names(8), chains, fixed, limits, {}, tree);
}

std::vector<std::int32_t> joints_of(const IkPlan& plan) {
  std::vector<std::int32_t> joints;
  for (std::size_t i = 0; i < plan.node_count; ++i) joints.push_back(plan.nodes[i].joint);
  return joints;
}

TEST(IkTree, OneChainHangsOnItsBase) {
  IkTree tree;
  ASSERT_FALSE(make({{2, 3, 4}}, {}, tree));
  const IkPlan plan = tree.plan();
  EXPECT_EQ(joints_of(plan), (std::vector<std::int32_t>{2, 3, 4}));
  EXPECT_EQ(std::vector<std::int32_t>(plan.ancestors, plan.ancestors + plan.ancestor_count),
            (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(plan.nodes[0].parent, -1);
  EXPECT_EQ(plan.nodes[2].parent, 1);
  EXPECT_TRUE(plan.nodes[0].rotates && plan.nodes[1].rotates);
  EXPECT_FALSE(plan.nodes[2].rotates) << "an effector alone does not rotate itself to its target";
  EXPECT_TRUE(plan.nodes[1].is_inside);
  EXPECT_FALSE(plan.nodes[2].is_inside);
  EXPECT_EQ(plan.effectors[0], 2);
  EXPECT_EQ(plan.tops[0], 0);
}

TEST(IkTree, FixedJointsArePartOfTheBone) {
  IkTree tree;
  ASSERT_FALSE(make({{0, 1, 2, 3, 4}}, {2, 1}, tree));
  const IkPlan plan = tree.plan();
  EXPECT_EQ(joints_of(plan), (std::vector<std::int32_t>{0, 3, 4}));
  const IkNode& elbow = plan.nodes[1];
  EXPECT_EQ(std::vector<std::int32_t>(plan.between + elbow.between_begin, plan.between + elbow.between_end),
            (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(elbow.parent, 0);
}

TEST(IkTree, ChainsThatShareJointsAreOneTree) {
  IkTree tree;
  ASSERT_FALSE(make({{1, 2, 3, 4}, {1, 2, 5, 6, 7}}, {}, tree));
  const IkPlan plan = tree.plan();
  EXPECT_EQ(joints_of(plan), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(plan.nodes[4].parent, 1) << "joint 5 hangs on joint 2";
  const auto below = [&](std::size_t node) {
    return plan.nodes[node].below_end - plan.nodes[node].below_begin;
  };
  EXPECT_EQ(below(0), 2);
  EXPECT_EQ(below(1), 2);
  EXPECT_EQ(below(2), 1);
  EXPECT_EQ(plan.below[plan.nodes[4].below_begin], 1);
}

TEST(IkTree, ChainsApartHangOnTheDeepestJointAboveBoth) {
  IkTree tree;
  ASSERT_FALSE(make({{3, 4}, {6, 7}}, {}, tree));
  const IkPlan plan = tree.plan();
  EXPECT_EQ(std::vector<std::int32_t>(plan.ancestors, plan.ancestors + plan.ancestor_count),
            (std::vector<std::int32_t>{0, 1, 2}));
  const IkNode& other = plan.nodes[2];
  EXPECT_EQ(other.joint, 6);
  EXPECT_EQ(other.parent, -1);
  EXPECT_EQ(other.between_end - other.between_begin, 1) << "joint 5 keeps its rotation";
}

TEST(IkTree, AnEffectorInsideAnotherChainTurns) {
  IkTree tree;
  ASSERT_FALSE(make({{0, 1, 2}, {2, 3, 4}}, {}, tree));
  const IkPlan plan = tree.plan();
  EXPECT_EQ(plan.effectors[0], 2);
  EXPECT_TRUE(plan.nodes[2].rotates);
  EXPECT_EQ(plan.tops[1], 2);
}

TEST(IkTree, LimitsKeepHalfAnglesOfTheirRange) {
  JointLimit hinge;
  hinge.joint = 3;
  hinge.kind = LimitKind::kHinge;
  hinge.low = -0.2, hinge.high = 1.0;
  IkTree tree;
  ASSERT_FALSE(make({{2, 3, 4}}, {}, tree, {hinge}));
  const IkLimit& limit = tree.plan().nodes[1].limit;
  EXPECT_EQ(limit.kind, LimitKind::kHinge);
  EXPECT_DOUBLE_EQ(limit.middle, 0.4);
  EXPECT_DOUBLE_EQ(limit.half_range, 0.6);
  EXPECT_DOUBLE_EQ(limit.half_of_range.sin, std::sin(0.3));
  EXPECT_DOUBLE_EQ(limit.half_middle.cos, std::cos(0.2));
}

TEST(IkTree, RefusesWhatIsNoChain) {
  IkTree tree;
  const auto sentence = [&](const std::vector<Chain>& chains, const std::vector<std::int32_t>& fixed = {}) {
    return make(chains, fixed, tree).sentence();
  };
  EXPECT_EQ(sentence({}), "there must be at least one chain");
  EXPECT_EQ(sentence({{}}), "a chain must hold at least one joint");
  EXPECT_EQ(sentence({{2, 8}}), "a chain must hold joints of the skeleton");
  EXPECT_EQ(sentence({{-1, 0}}), "a chain must hold joints of the skeleton");
  EXPECT_EQ(sentence({{2, 4}}), "joint 'j4' must hang on 'j2', the joint before it");
  EXPECT_EQ(sentence({{2, 3}}, {9}), "fixed must hold joints of the skeleton");
}

TEST(IkTree, RefusesWhatIsNoSkeleton) {
  // Joints that hang on themselves have no path to a root.
  std::vector<float> rest;
  for (int i = 0; i < 3; ++i) rest.insert(rest.end(), {0, 1, 0, 0, 0, 0, 1, 1, 1, 1});
  IkTree tree;
  const auto sentence = [&](const std::vector<std::int32_t>& parents) {
    const std::vector<Chain> chains{{1, 2}};
    return IkTree::make(parents, rest, {"a", "b", "c"}, chains, {}, {}, {}, tree).sentence();
  };
  EXPECT_EQ(sentence({-1, 0, 1}), "");
  EXPECT_EQ(sentence({-1, 1, 1}), "parents must come before their children, got 1 for joint 1");
  EXPECT_EQ(sentence({-2, 0, 1}), "parents must come before their children, got -2 for joint 0");
  EXPECT_EQ(sentence({-1, 7, 1}), "parents must come before their children, got 7 for joint 1");
  rest[16] = 0;
  EXPECT_EQ(sentence({-1, 0, 1}), "rest must hold rotations, got none for joint 1");
}

TEST(IkTree, RefusesWhatIsNoLimit) {
  IkTree tree;
  const auto sentence = [&](const JointLimit& limit) {
    return make({{2, 3, 4}}, {}, tree, {limit}).sentence();
  };
  JointLimit limit;
  limit.joint = 3;
  limit.kind = static_cast<LimitKind>(7);
  EXPECT_EQ(sentence(limit), "a limit must be of a kind that there is");
  limit.kind = LimitKind::kCone;
  limit.half_angles[1] = -0.1;
  EXPECT_EQ(sentence(limit), "half angles of a limit must be finite and at least 0");
  limit.half_angles[1] = 0.5;
  limit.low = 1, limit.high = 0.5;
  EXPECT_EQ(sentence(limit), "the range of a limit must be finite, and low at most high");
  limit.high = std::nan("");
  EXPECT_EQ(sentence(limit), "the range of a limit must be finite, and low at most high");
  limit.high = 2;
  limit.axes[3] = 0;
  EXPECT_EQ(sentence(limit), "axes of a limit must be a unit quaternion");
}

}  // namespace
}  // namespace lissom
