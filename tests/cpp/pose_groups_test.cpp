// SPDX-License-Identifier: MIT
// Results of a batch, which kernels take several at a time where poses have few joints, are those of each alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/animation/additive.h"
#include "core/animation/blending.h"
#include "core/animation/model_pose.h"

namespace lissom {
namespace {

constexpr std::size_t kResults = 19;  // more than a group of the smallest poses has, or not a multiple of it
const std::size_t kJointCounts[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,
                                    17, 24, 31, 32, 33, 41, 63, 64, 65, 127, 129};

template <class T>
std::vector<T> random_poses(std::size_t joints, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> poses;
  for (std::size_t joint = 0; joint < joints; ++joint) {
    double n[10], square = 0;
    for (double& number : n) number = normal(random);
    for (int i = 3; i < 7; ++i) square += n[i] * n[i];
    for (int i = 3; i < 7; ++i) n[i] /= std::sqrt(square);
    for (const double number : n) poses.push_back(static_cast<T>(number));
  }
  return poses;
}

// In [0, 1], both ends among them.
template <class T>
std::vector<T> random_weights(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> weights;
  for (std::size_t i = 0; i < count; ++i) {
    weights.push_back(i % 5 == 2 ? T(1) : i % 7 == 3 ? T(0) : static_cast<T>(random() % 1000) / T(1000));
  }
  return weights;
}

template <class T>
std::span<const T> part(const std::vector<T>& of, std::size_t result, std::size_t size) {
  return of.size() == size ? std::span<const T>(of) : std::span<const T>(of).subspan(result * size, size);
}

template <class T>
void expect_same_as_alone(std::size_t joints) {
  const std::size_t size = joints * 10;
  const std::vector<T> many = random_poses<T>(joints * kResults, 1),
                       others = random_poses<T>(joints * kResults, 2), one = random_poses<T>(joints, 3);
  const std::vector<T> weights = random_weights<T>(kResults, 4), mask = random_weights<T>(joints, 5),
                       masks = random_weights<T>(joints * kResults, 6), none;
  std::vector<T> out(size * kResults), alone(size);
  const auto expect_same = [&](std::size_t result) {
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(out[result * size + i], alone[i]) << joints << " joints, " << result;
  };
  for (const std::vector<T>* a : {&many, &one}) {
    for (const std::vector<T>* b : {&others, &one}) {
      for (const std::vector<T>* by : {&none, &mask, &masks}) {
        const auto mask_of = [&](std::size_t result) {
          return by->empty() ? std::span<const T>() : part(*by, result, joints);
        };
        ASSERT_FALSE((BlendJob<T>{joints, *a, *b, weights, *by, out}.run()));
        for (std::size_t i = 0; i < kResults; ++i) {
          const BlendJob<T> job{joints, part(*a, i, size), part(*b, i, size), part(weights, i, 1), mask_of(i),
                                alone};
          ASSERT_FALSE(job.run());
          expect_same(i);
        }
        ASSERT_FALSE((AddLayerJob<T>{joints, *a, *b, weights, *by, out}.run()));
        for (std::size_t i = 0; i < kResults; ++i) {
          const AddLayerJob<T> job{
              joints, part(*a, i, size), part(*b, i, size), part(weights, i, 1), mask_of(i), alone};
          ASSERT_FALSE(job.run());
          expect_same(i);
        }
        const std::vector<BlendLayer<T>> layers{{*a, weights, *by}, {*b, part(weights, 0, 1), {}}};
        ASSERT_FALSE((BlendLayersJob<T>{joints, layers, one, T(1), out}.run()));
        for (std::size_t i = 0; i < kResults; ++i) {
          const std::vector<BlendLayer<T>> own{{part(*a, i, size), part(weights, i, 1), mask_of(i)},
                                               {part(*b, i, size), part(weights, 0, 1), {}}};
          ASSERT_FALSE((BlendLayersJob<T>{joints, own, one, T(1), alone}.run()));
          expect_same(i);
        }
      }
    }
  }
}

TEST(PoseGroups, AreTheSameAsEachPoseAlone) {
  for (const std::size_t joints : kJointCounts) expect_same_as_alone<float>(joints);
}

TEST(PoseGroups, AreTheSameAsEachPoseAloneInDoublePrecision) {
  for (const std::size_t joints : kJointCounts) expect_same_as_alone<double>(joints);
}

TEST(ModelPose, IsTheSameWhereverItsOutputLies) {
  for (const std::size_t joints : {16, 32, 41, 48, 64, 96, 128}) {
    std::vector<std::int32_t> parents;
    for (std::size_t i = 0; i < joints; ++i)
      parents.push_back(static_cast<std::int32_t>(i) - 1 - (i > 2 && i % 3 == 0));
    const std::size_t size = joints * kResults * 16;
    const std::vector<float> poses = random_poses<float>(joints * kResults, 1);
    std::vector<float> first(size), memory(size + 32);
    ASSERT_FALSE((ModelPoseJob<float>{parents, poses, first}.run()));
    const std::size_t to_line = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) / sizeof(float);
    for (const std::size_t shift : {0, 4, 5, 8, 12}) {
      const auto out = std::span(memory).subspan(to_line + shift, size);
      ASSERT_FALSE((ModelPoseJob<float>{parents, poses, out}.run()));
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], first[i]) << joints << " joints, " << i;
    }
  }
}

}  // namespace
}  // namespace lissom
