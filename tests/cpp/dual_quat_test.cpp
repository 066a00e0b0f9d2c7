// SPDX-License-Identifier: MIT
#include "core/math/dual_quat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/math/screw.h"

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

void expect_near(const DualQuat<double>& a, const DualQuat<double>& b, double tolerance = kTight) {
  const double numbers[][2] = {{a.real.x, b.real.x}, {a.real.y, b.real.y}, {a.real.z, b.real.z},
                               {a.real.w, b.real.w}, {a.dual.x, b.dual.x}, {a.dual.y, b.dual.y},
                               {a.dual.z, b.dual.z}, {a.dual.w, b.dual.w}};
  for (const auto& [x, y] : numbers) EXPECT_NEAR(x, y, tolerance);
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

TEST_F(DualQuats, InversesUndoAnyLength) {
  for (const double factor : {1.0, 1e-200, 1e150}) {
    const auto q = factor * (sample().unit() + 0.3 * sample().unit());
    expect_near(q * inverse(q), DualQuat<double>::identity());
    expect_near(inverse(q) * q, DualQuat<double>::identity());
    EXPECT_NEAR(length(normalized(q).real), 1, kTight);
  }
}

TEST_F(DualQuats, ComeBackFromMatrices) {
  for (int n = 0; n < 100; ++n) {
    const auto q = sample().unit();
    const auto matrix = mat4_from(affine_from(q));
    EXPECT_LT(rigid_error(matrix), kTight);
    expect_near(aligned(dual_quat_from(affine_from(matrix)), q), q);
    EXPECT_TRUE(is_same_transform(q, -q, 1e-12));
    EXPECT_FALSE(is_same_transform(q, sample().unit(), 1e-3));
    EXPECT_TRUE(is_near(q, q, 0.0));
    EXPECT_FALSE(is_near(q, -q, 1e-3));
  }
  Mat4<double> mirror = Mat4<double>::identity();
  mirror.m[0][0] = -1;
  EXPECT_EQ(rigid_error(mirror), 2);
  Mat4<double> scaled = Mat4<double>::identity();
  scaled.m[1][1] = 2;
  EXPECT_EQ(rigid_error(scaled), 3);
}

// Turns by `angle` about a line that misses the origin, and shifts along it.
DualQuat<double> turn(double angle, double pitch) {
  return dual_quat_from(Screw<double>{{0, 0.6, 0.8}, {1, 0.8, -0.6}, angle, pitch});
}

TEST_F(DualQuats, LogarithmIsHalfTheScrew) {
  // Both ends of the series, and next to half a turn and a whole one.
  for (const double angle :
       {0.0, 1e-200, 1e-12, 1e-4, 0.2506556, 0.2506557, 1.0, 3.14159, 3.14160, 5.0, 6.0}) {
    const auto pure = log(turn(angle, 0.5));
    const double half = angle / 2;
    const DualQuat<double> expected = {{0, 0.6 * half, 0.8 * half, 0},
                                       {half, 0.8 * half + 0.6 * 0.25, -0.6 * half + 0.8 * 0.25, 0}};
    expect_near(pure, expected, angle > 4 ? 1e-12 : kTight);
    expect_near(exp(pure), turn(angle, 0.5));
    expect_near(exp(expected), turn(angle, 0.5));
  }
}

TEST_F(DualQuats, PowersFollowTheScrew) {
  for (const double t : {-1.0, 0.0, 0.3, 1.0, 1.7}) {
    expect_near(power(turn(1.1, 2), t), turn(1.1 * t, 2 * t));
    expect_near(sclerp(turn(0.4, 1), turn(1.5, 3), t), turn(0.4 + 1.1 * t, 1 + 2 * t));
    expect_near(sclerp(turn(0.4, 1), -turn(1.5, 3), t), turn(0.4 + 1.1 * t, 1 + 2 * t));
  }
  // The other way round: -b is the motion by 1.1 - 2 pi.
  const double far = 1.1 - 2 * std::numbers::pi;
  expect_near(sclerp_as_given(turn(0.4, 1), -turn(1.5, 3), 0.5), turn(0.4 + 0.5 * far, 2));
}

TEST_F(DualQuats, WholeTurnsTakeTheAxisOfTheirTranslation) {
  const auto x = log(DualQuat<double>{{0, 0, 0, -1}, {0, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(x.real.x, std::numbers::pi);
  const auto z = log(dual_quat_from<double>({0, 0, 0, -1}, {0, 0, 3}));
  EXPECT_DOUBLE_EQ(z.real.z, std::numbers::pi);
  EXPECT_DOUBLE_EQ(z.dual.z, 1.5);
}

TEST_F(DualQuats, ScrewsComeBack) {
  for (int n = 0; n < 100; ++n) {
    const auto q = sample().unit();
    const auto screw = screw_from(q);
    EXPECT_NEAR(dot(screw.axis, screw.moment), 0, kTight);
    EXPECT_GE(screw.angle, 0);
    expect_near(aligned(dual_quat_from(screw), q), q, 1e-12);
    expect_near(transform_point(q, cross(screw.axis, screw.moment)),
                cross(screw.axis, screw.moment) + screw.pitch * screw.axis);
  }
  const auto straight = screw_from(dual_quat_from<double>({0, 0, 0, 1}, {0, 3, -4}));
  expect_near(straight.axis, {0, 0.6, -0.8});
  EXPECT_EQ(straight.angle, 0);
  EXPECT_DOUBLE_EQ(straight.pitch, 5);
}

}  // namespace
}  // namespace lissom
