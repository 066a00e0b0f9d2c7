// SPDX-License-Identifier: MIT
#include "core/math/quat.h"

#include <gtest/gtest.h>

#include <random>

#include "core/math/directions.h"
#include "core/math/mat4.h"
#include "core/math/trs.h"

namespace lissom {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTight = 1e-14;  // a few roundings of unit-sized doubles

Quat<double> random_unit(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return normalized(Quat<double>{normal(random), normal(random), normal(random), normal(random)});
}
Vec3<double> random_vec(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = kTight) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Quat<double>& a, const Quat<double>& b, double tolerance = kTight) {
  expect_near(a.vector(), b.vector(), tolerance);
  EXPECT_NEAR(a.w, b.w, tolerance);
}

TEST(Quat, MultipliesByHamiltonsRules) {
  const Quat<double> i{1, 0, 0, 0}, j{0, 1, 0, 0}, k{0, 0, 1, 0};
  expect_near(i * j, k);
  expect_near(j * k, i);
  expect_near(k * i, j);
  expect_near(j * i, -k);
  expect_near(i * i, {0, 0, 0, -1});
}

TEST(Quat, RotatesRightHanded) {
  const auto quarter = quat_from_axis_angle<double>({0, 0, 1}, kPi / 2);
  expect_near(rotate(quarter, {1, 0, 0}), {0, 1, 0});
}

TEST(Quat, ProductAppliesItsRightFactorFirst) {
  std::mt19937 random(1);
  for (int n = 0; n < 100; ++n) {
    const auto a = random_unit(random), b = random_unit(random);
    const auto p = random_vec(random);
    expect_near(rotate(a * b, p), rotate(a, rotate(b, p)));
    expect_near(mat3_from(a * b) * p, mat3_from(a) * (mat3_from(b) * p));
    expect_near(rotate(conjugate(a), rotate(a, p)), p);
  }
}

TEST(Quat, SurvivesTheWayThroughAMatrixAtEveryAngle) {
  std::mt19937 random(2);
  for (const double angle : {0.0, 1e-9, 1e-4, 1.0, kPi / 2, 2.0, 3.0, kPi - 1e-9, kPi}) {
    for (int n = 0; n < 20; ++n) {
      const auto q = quat_from_axis_angle(normalized(random_vec(random)), angle);
      const auto back = quat_from(mat3_from(q));
      EXPECT_GE(back.w, 0);
      expect_near(aligned(back, q), q);
    }
  }
}

TEST(Quat, FromToIsTheShortestArc) {
  std::mt19937 random(3);
  for (int n = 0; n < 100; ++n) {
    const auto a = normalized(random_vec(random)), b = normalized(random_vec(random));
    const auto q = quat_from_to(a, b);
    expect_near(rotate(q, a), b);
    EXPECT_NEAR(q.w, std::cos(std::acos(dot(a, b)) / 2), 1e-8);  // acos is what limits this
    expect_near(rotate(quat_from_to(a, -a), a), -a);
    // Nearly opposite.
    for (const double off : {1e-6, 1e-8, 1e-9, 1e-12}) {
      const auto c = normalized(-a + off * perpendicular(a));
      const auto turn = quat_from_to(a, c);
      EXPECT_NEAR(length(turn), 1, kTight);
      expect_near(rotate(turn, a), c);
    }
  }
}

TEST(Quat, SlerpKeepsSpeedAndTakesTheShortWay) {
  std::mt19937 random(4);
  for (const double angle : {0.0, 1e-18, 1e-9, 1e-3, 1.0, 3.0}) {
    const auto axis = normalized(random_vec(random));
    const auto a = random_unit(random);
    const auto b = a * quat_from_axis_angle(axis, angle);
    for (const double t : {0.0, 0.3, 1.0}) {
      const auto expected = a * quat_from_axis_angle(axis, t * angle);
      expect_near(slerp(a, b, t), expected);
      expect_near(slerp(a, -b, t), expected);
      EXPECT_NEAR(length(nlerp(a, -b, t)), 1, kTight);
    }
  }
}

TEST(Quat, RotationVectorIsTheExponentialMap) {
  expect_near(quat_from_rotation_vector<double>({0, 0, 0}), Quat<double>::identity());
  expect_near(quat_from_rotation_vector<double>({0, 1e-200, 0}), {0, 0.5e-200, 0, 1});
  expect_near(quat_from_rotation_vector<double>({0, 0, kPi}), {0, 0, 1, 0});
}

TEST(Trs, IsItsMatrix) {
  std::mt19937 random(5);
  const Trs<double> trs{random_vec(random), random_unit(random), {1, -2, 0.5}};
  const auto p = random_vec(random);
  expect_near(transform_point(affine_from(trs), p), transform_point(trs, p));
}

TEST(Affine, ProductAndInverse) {
  std::mt19937 random(6);
  const Affine<double> a = affine_from(Trs<double>{random_vec(random), random_unit(random), {1, -2, 0.5}});
  const Affine<double> b = affine_from(Trs<double>{random_vec(random), random_unit(random), {3, 1, 1}});
  const auto p = random_vec(random);
  expect_near(transform_point(a * b, p), transform_point(a, transform_point(b, p)), 1e-13);
  expect_near(transform_point(inverse(a) * a, p), p, 1e-13);
  const Vec3<double> u = random_vec(random), v = random_vec(random);
  expect_near(cofactor(a.linear()) * cross(u, v), cross(a.linear() * u, a.linear() * v), 1e-13);
}

}  // namespace
}  // namespace lissom
