// SPDX-License-Identifier: MIT
// What long jobs of weights tell of themselves: asked here at every step, which Python is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/weights/bounded_biharmonic.h"
#include "core/weights/heat.h"
#include "core/weights/reduced_weights.h"

namespace lissom {
namespace {

// Stages as they came, each as often as it came, and that fractions stay in [0, 1] and do not fall on the way.
class Told {
 public:
  Progress function() {
    return [this](const char* stage, double fraction) {
      if (stages_.empty() || stages_.back() != stage) {
        stages_.emplace_back(stage);
        last_ = 0;
      }
      EXPECT_GE(fraction, last_) << stage;
      EXPECT_LE(fraction, 1) << stage;
      furthest_[stage] = last_ = fraction;
      return false;
    };
  }
  // Where a stage comes again, it is in the list once.
  std::vector<std::string> names() const {
    std::vector<std::string> once;
    for (const std::string& stage : stages_) {
      if (std::find(once.begin(), once.end(), stage) == once.end()) once.push_back(stage);
    }
    return once;
  }
  std::size_t count(const std::string& stage) const {
    return static_cast<std::size_t>(std::count(stages_.begin(), stages_.end(), stage));
  }
  double furthest(const std::string& stage) const { return furthest_.at(stage); }

 private:
  std::vector<std::string> stages_;
  std::map<std::string, double> furthest_;
  double last_ = 0;
};

// A rod of unit cubes along z, each cut into six tetrahedra.
struct Rod {
  explicit Rod(std::int32_t length) {
    for (std::int32_t node = 0; node < 4 * (length + 1); ++node) {
      for (const std::int32_t place : {node % 2, node / 2 % 2, node / 4}) {
        nodes.push_back(static_cast<double>(place));
      }
    }
    for (std::int32_t cube = 0; cube < length; ++cube) {
      for (const auto& [a, b] :
           std::vector<std::array<std::int32_t, 2>>{{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}}) {
        for (const std::int32_t corner : {0, a, a + b, 7}) tets.push_back(4 * cube + corner);
      }
    }
  }
  std::vector<double> nodes;
  std::vector<std::int32_t> tets;
};

TEST(Stages, OfBoundedBiharmonicWeightsNeverFallAndComeInOrder) {
  const Rod rod(12);
  const std::vector<std::int32_t> fixed = {0, 26, 51};
  const std::vector<double> rows = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<double> weights(rod.nodes.size());
  std::map<std::string, double> before;
  Told told;
  BoundedBiharmonicFacts facts;
  BoundedBiharmonicJob job;
  job.nodes = rod.nodes;
  job.tets = rod.tets;
  job.fixed_nodes = fixed;
  job.fixed_rows = rows;
  job.tolerance = 1e-6;
  job.polish = true;
  job.weights = weights;
  job.facts = &facts;
  const Progress each = told.function();
  job.progress = [&](const char* stage, double fraction) {
    // The iteration goes on where it was when the matrix has changed.
    if (std::string(stage) == "iterating") {
      EXPECT_GE(fraction, before[stage]);
      before[stage] = fraction;
    }
    return each(stage, fraction);
  };
  ASSERT_FALSE(job.run());
  EXPECT_EQ(told.names(),
            (std::vector<std::string>{"assembling", "ordering", "factorising", "iterating", "polishing"}));
  EXPECT_GE(facts.admm.factorisations, 2);  // else this shows little
  EXPECT_EQ(told.count("factorising"), static_cast<std::size_t>(facts.admm.factorisations));
  for (const char* once : {"assembling", "ordering", "polishing"}) EXPECT_EQ(told.count(once), 1u) << once;
  EXPECT_GT(told.furthest("iterating"), 0.5);
  EXPECT_NEAR(told.furthest("polishing"), 2.0 / 3, 1e-15);  // while the last of three handles is worked on
}

TEST(Stages, OfHeatNeverFallWhereIslandsAreLookedAtTwice) {
  // Islands of one triangle, with the bones on their outer side: none is seen, so each is looked at a second time.
  constexpr std::uint32_t kCount = 5;
  std::vector<double> positions;
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double x = 3.0 * i;
    positions.insert(positions.end(), {x, 0, 0, x + 1, 0, 0, x, 1, 0});
    triangles.insert(triangles.end(), {3 * i, 3 * i + 1, 3 * i + 2});
  }
  const std::vector<BoneSegment> bones = {{{0, 0, 1}, {1, 0, 1}}, {{9, 0, 1}, {10, 0, 1}}};
  std::vector<double> weights(3 * kCount * bones.size());
  std::vector<std::uint8_t> sights(3 * kCount);
  HeatWeightsJob::Outcome outcome;
  Told told;
  HeatWeightsJob job;
  job.positions = positions;
  job.triangles = triangles;
  job.bones = bones;
  job.weights = weights;
  job.sights = sights;
  job.outcome = &outcome;
  job.progress = told.function();
  ASSERT_FALSE(job.run());
  EXPECT_EQ(outcome.blind_island_count, kCount);
  EXPECT_EQ(told.names(), (std::vector<std::string>{"visibility", "Delaunay", "factorising", "solving"}));
  EXPECT_NEAR(told.furthest("visibility"), 1 - 0.5 / kCount, 1e-15);
}

TEST(Stages, OfReducingNeverFall) {
  const std::vector<double> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const std::vector<std::uint32_t> triangles = {0, 1, 2, 1, 3, 2};
  const std::vector<double> weights = {0.5, 0.3, 0.2, 0.3, 0.5, 0.2, 0.2, 0.3, 0.5, 0.4, 0.2, 0.4};
  std::vector<double> reduced(weights.size());
  Told told;
  ReducedWeightsJob job;
  job.positions = positions;
  job.triangles = triangles;
  job.weights = weights;
  job.handle_count = 3;
  job.influence_count = 2;
  job.smoothness = 10;
  job.reduced = reduced;
  job.progress = told.function();
  ASSERT_FALSE(job.run());
  EXPECT_EQ(told.names(), std::vector<std::string>{"reducing"});
  EXPECT_GT(told.furthest("reducing"), 0);
}

}  // namespace
}  // namespace lissom
