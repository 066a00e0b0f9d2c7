// SPDX-License-Identifier: MIT
#include "core/math/trs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/math/decompose.h"
#include "core/math/polar.h"

namespace lissom {
namespace {

constexpr double kTight = 1e-14;  // a few roundings of numbers below ten
constexpr double kQuarter = 0.70710678118654752;

class Transforms : public testing::Test {
 protected:
  double normal() { return normal_(random_); }
  Vec3<double> vec() { return {normal(), normal(), normal()}; }
  Quat<double> unit() { return normalized(Quat<double>{normal(), normal(), normal(), normal()}); }
  // Within [0.3, 3].
  double size() { return std::exp(std::uniform_real_distribution<double>(-1.2, 1.1)(random_)); }
  Vec3<double> sizes() { return {size(), size(), size()}; }

 private:
  std::mt19937 random_{21};
  std::normal_distribution<double> normal_;
};

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = kTight) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Affine<double>& a, const Affine<double>& b, double tolerance = kTight) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(a.m[i][j], b.m[i][j], tolerance) << i << ", " << j;
  }
}

TEST_F(Transforms, MovePointsAndVectorsAsTheirMatrices) {
  const Trs<double> trs{vec(), unit(), {1, -2, 0.5}};
  const auto p = vec();
  expect_near(transform_point(trs, p), transform_point(affine_from(trs), p));
  expect_near(transform_vector(trs, p), transform_vector(affine_from(trs), p));
}

TEST_F(Transforms, ComposeAsTheirMatricesWhereScaleIsUniform) {
  for (const Vec3<double>& sign :
       {Vec3<double>{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, 1, -1}, {-1, -1, -1}}) {
    for (int n = 0; n < 20; ++n) {
      const Trs<double> a{vec(), unit(), size() * sign}, b{vec(), unit(), sizes()};
      const auto product = compose(a, b);
      EXPECT_FALSE(is_sheared(product));
      expect_near(affine_from(product.trs), affine_from(a) * affine_from(b), 10 * kTight);
      EXPECT_EQ(std::abs(product.trs.scale.y), std::abs(a.scale.y) * b.scale.y);  // to the bit
      const auto undone = inverse(a);
      EXPECT_FALSE(is_sheared(undone));
      expect_near(affine_from(undone.trs) * affine_from(a), Affine<double>::identity(), 10 * kTight);
      expect_near(affine_from(undone.trs), inverse_affine_from(a), 10 * kTight);
    }
  }
}

TEST_F(Transforms, ComposeAsTheirMatricesWhereQuarterTurnsSwapAxes) {
  for (const Quat<double>& turn : {Quat<double>{0, 0, 0, 1},
                                   {kQuarter, 0, 0, kQuarter},
                                   {0.5, 0.5, -0.5, 0.5},
                                   {0, kQuarter, -kQuarter, 0}}) {
    const Trs<double> a{vec(), unit(), {0.7, -2, 3}}, b{vec(), turn, {2, -3, 0}};
    const auto product = compose(a, b);
    EXPECT_FALSE(is_sheared(product));
    expect_near(affine_from(product.trs), affine_from(a) * affine_from(b), 10 * kTight);
    const Trs<double> c{vec(), turn, {0.7, -2, 3}};
    const auto undone = inverse(c);
    EXPECT_FALSE(is_sheared(undone));
    expect_near(affine_from(undone.trs) * affine_from(c), Affine<double>::identity(), 10 * kTight);
  }
}

TEST_F(Transforms, SayHowMuchShearIsLost) {
  const double half = 0.2;
  const Quat<double> turn{0, 0, std::sin(half), std::cos(half)};
  const Trs<double> a{{0, 0, 0}, unit(), {1, 2, 3}}, b{{0, 0, 0}, turn, {1, 1, 1}};
  const auto product = compose(a, b);
  EXPECT_TRUE(is_sheared(product));
  EXPECT_NEAR(relative_shear(product), std::sin(2 * half) * std::cos(2 * half) / 3, kTight);
  EXPECT_NEAR(product.largest, 3, kTight);
  EXPECT_TRUE(is_sheared(inverse(Trs<double>{{0, 0, 0}, turn, {1, 2, 3}})));
  // Flattened along both axes that are mixed: nothing is lost.
  const Trs<double> flat{{0, 0, 0}, turn, {0, 0, 2}}, none{{0, 0, 0}, turn, {0, 0, 0}};
  EXPECT_FALSE(is_sheared(compose(a, flat)));
  EXPECT_EQ(relative_shear(compose(a, none)), 0);
}

TEST_F(Transforms, LerpReachesItsEndsToTheBit) {
  for (int n = 0; n < 50; ++n) {
    const Trs<double> a{vec(), unit(), sizes()};
    Trs<double> b{vec(), unit(), sizes()};
    b.rotation = aligned(b.rotation, a.rotation);
    for (const auto& [t, end] : {std::pair{0.0, a}, std::pair{1.0, b}}) {
      const auto got = lerp(a, b, t);
      expect_near(got.translation, end.translation, 0);
      expect_near(got.rotation.vector(), end.rotation.vector(), 0);
      EXPECT_EQ(got.rotation.w, end.rotation.w);
      expect_near(got.scale, end.scale, 0);
    }
  }
}

TEST_F(Transforms, BothWaysTakeRegularMatricesApartAlike) {
  for (int n = 0; n < 200; ++n) {
    const Trs<double> trs{vec(), unit(), {size() * (n % 2 ? -1 : 1), size(), size()}};
    Affine<double> affine = affine_from(trs);
    affine.m[0][1] += 0.05 * n / 200;
    const Mat4<double> matrix = mat4_from(affine);
    const auto quick = decompose_regular(matrix);
    if (!quick.is_regular) continue;
    const auto sure = decompose(matrix);
    ASSERT_TRUE(sure);
    expect_near(affine_from(quick.value.trs), affine_from(sure->trs));
    EXPECT_NEAR(quick.value.shear, sure->shear, kTight);
    EXPECT_GE(quick.value.trs.rotation.w, 0);
    if (n == 0) expect_near(affine_from(quick.value.trs), affine);
  }
}

TEST_F(Transforms, TheQuickWayLeavesWhatIsNotRegular) {
  const Affine<double> affine = affine_from(Trs<double>{vec(), unit(), {1, 2, 3}});
  EXPECT_TRUE(decompose_regular(mat4_from(affine)).is_regular);
  const auto with = [&](int i, int j, double entry) {
    Mat4<double> matrix = mat4_from(affine);
    matrix.m[i][j] = entry;
    return decompose_regular(matrix).is_regular;
  };
  EXPECT_FALSE(with(0, 0, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(with(1, 3, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(with(3, 1, 1e-5));
  EXPECT_FALSE(with(3, 3, 2));
  EXPECT_FALSE(with(0, 2, 1e200));
  EXPECT_FALSE(decompose_regular(mat4_from(affine_from(Trs<double>{vec(), unit(), {1, 0, 3}}))).is_regular);
  EXPECT_FALSE(
      decompose_regular(mat4_from(affine_from(Trs<double>{vec(), unit(), {1, 1e-200, 3}}))).is_regular);
}

TEST_F(Transforms, EveryFiniteAffineMatrixComesApart) {
  for (const Vec3<double>& scale :
       {Vec3<double>{1, 2, 0}, {0, 0, 2}, {0, 0, 0}, {1e-300, 2e-300, 1e-300}, {1e300, 1e300, 2e300}}) {
    const Trs<double> trs{vec(), {0.5, 0.5, 0.5, 0.5}, scale};
    const Affine<double> affine = affine_from(trs);
    const auto parts = decompose(mat4_from(affine));
    ASSERT_TRUE(parts);
    EXPECT_LT(parts->shear, kTight);
    const double size = std::max({scale.x, scale.y, scale.z, 1e-320});
    const Affine<double> again = affine_from(parts->trs);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(again.m[i][j] / size, affine.m[i][j] / size, kTight);
    }
  }
  Mat4<double> matrix = Mat4<double>::identity();
  matrix.m[3][0] = 2e-6;
  EXPECT_FALSE(decompose(matrix));
  matrix.m[3][0] = 0;
  EXPECT_TRUE(decompose(matrix));
  matrix.m[2][3] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(decompose(matrix));
}

}  // namespace
}  // namespace lissom
