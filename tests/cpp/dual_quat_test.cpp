// SPDX-License-Identifier: MIT
#include "core/math/dual_quat.h"

#include <gtest/gtest.h>

#include <random>

namespace lissom {
namespace {

constexpr double kTight = 1e-13;  // a few roundings of numbers below ten

struct Sample {
  Quat<double> rotation;
  Vec3<double> offset;
  DualQuat<double> unit() const { return dual_quat_from(rotation, offset); }
  Vec3<double> moved(const Vec3<double>& p) const { return rotate(rotation, p) + offset; }
};

class DualQuats : public testing::Test {
 protected:
  Vec3<double> point() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  Sample sample() { return {normalized(quat_from(point(), normal_(random_))), point()}; }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_NEAR(a.x, b.x, kTight);
  EXPECT_NEAR(a.y, b.y, kTight);
  EXPECT_NEAR(a.z, b.z, kTight);
}

TEST_F(DualQuats, DualPartIsHalfTheTranslationTimesReal) {
  // A pure shift by (2, 4, 6): real 1, dual (1, 2, 3, 0).
  const auto q = dual_quat_from<double>({0, 0, 0, 1}, {2, 4, 6});
  EXPECT_EQ(q.dual.x, 1);
  EXPECT_EQ(q.dual.y, 2);
  EXPECT_EQ(q.dual.z, 3);
  EXPECT_EQ(q.dual.w, 0);
}

TEST_F(DualQuats, MovePointsAsTheirRotationAndTranslation) {
  for (int n = 0; n < 100; ++n) {
    const Sample a = sample(), b = sample();
    const auto p = point();
    expect_near(transform_point(a.unit(), p), a.moved(p));
    expect_near(transform_point(-a.unit(), p), a.moved(p));
    expect_near(transform_point(a.unit() * b.unit(), p), a.moved(b.moved(p)));
    expect_near(transform_point(conjugate(a.unit()) * a.unit(), p), p);
    expect_near(transform_vector(a.unit(), p), rotate(a.rotation, p));
    expect_near(translation(a.unit()), a.offset);
  }
}

TEST_F(DualQuats, NormalizedIsUnitInBothParts) {
  const auto a = sample().unit(), b = sample().unit();
  const auto blend = 0.3 * a + 0.7 * b;
  const auto unit = normalized(blend);
  EXPECT_NEAR(length(unit.real), 1, kTight);
  EXPECT_NEAR(dot(unit.real, unit.dual), 0, kTight);
  // What was removed does not move points.
  expect_near(translation(unit), translation((1 / length(blend.real)) * blend));
}

}  // namespace
}  // namespace lissom
