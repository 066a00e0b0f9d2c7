// SPDX-License-Identifier: MIT
#include "core/skinning/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/math/trs.h"
#include "core/simd/isa.h"
#include "core/skinning/palette_kernels.h"

namespace lissom {

#ifdef LISSOM_X86
namespace v2 {
extern const PaletteKernels palette_kernels;
}
namespace v3 {
extern const PaletteKernels palette_kernels;
}
namespace v4 {
extern const PaletteKernels palette_kernels;
}
#else
namespace portable {
extern const PaletteKernels palette_kernels;
}
#endif

namespace {

const PaletteKernels& kernels_of(Isa isa) {
#ifdef LISSOM_X86
  return isa == Isa::kV4 ? v4::palette_kernels : isa == Isa::kV3 ? v3::palette_kernels : v2::palette_kernels;
#else
  static_cast<void>(isa);
  return portable::palette_kernels;
#endif
}

// float32 against double, for numbers up to about five. Well below kRigidTolerance.
constexpr double kFloatTolerance = 5e-6;

class Palettes : public testing::Test {
 protected:
  double number() { return normal_(random_); }
  Mat4<double> transform(Vec3<double> scale = {1, 1, 1}) {
    const auto q = normalized(Quat<double>{number(), number(), number(), number()});
    return mat4_from(affine_from(Trs<double>{{number(), number(), number()}, q, scale}));
  }
  // S rows over as many joints, backwards. Wide kernels have a way of their own where joint_from_bind scales all axes alike.
  SkinBind skin(std::size_t row_count, Vec3<double> bind_scale = {1, 1, 1}) {
    std::vector<std::int32_t> joints;
    std::vector<Mat4<double>> binds;
    for (std::size_t s = 0; s < row_count; ++s) {
      joints.push_back(static_cast<std::int32_t>(row_count - 1 - s));
      binds.push_back(mat4_from(cast<double>(cast<float>(affine_from(transform(bind_scale))))));
    }
    SkinBind made;
    EXPECT_FALSE(SkinBind::make(joints, binds, made));
    const bool is_even = bind_scale.x == bind_scale.y && bind_scale.y == bind_scale.z && bind_scale.x > 0;
    EXPECT_EQ(made.kernel_skin().similarities != nullptr, is_even);
    return made;
  }

 private:
  std::mt19937 random_{21};
  std::normal_distribution<double> normal_;
};

std::vector<Mat4<double>> doubled(const std::vector<Mat4<float>>& model) {
  std::vector<Mat4<double>> result;
  for (const auto& m : model) result.push_back(mat4_from(cast<double>(affine_from(m))));
  return result;
}

// The kernel's dual quaternions of poses of so many joints, and the largest state of their rows.
PaletteRowState dual_quats(Isa isa, const SkinBind& bind, const std::vector<Mat4<float>>& model,
                           std::size_t joint_count, DualQuat<float>* out, std::uint8_t* states) {
  std::vector<std::ptrdiff_t> places;
  bind.find_places(joint_count, &places);
  const PaletteFrames frames = {&model[0].m[0][0], model.size() / joint_count, 16 * joint_count,
                                places.data()};
  return kernels_of(isa).dual_quats(bind.kernel_skin(), frames, &out->real.x, states);
}

// Of two dual quaternions, of either sign.
double distance(const DualQuat<float>& a, const DualQuat<double>& b) {
  const DualQuat<double> q{cast<double>(a.real), cast<double>(a.dual)};
  const double sign = dot(q.real, b.real) < 0 ? -1 : 1;
  const Quat<double> real = q.real - sign * b.real, dual = q.dual - sign * b.dual;
  return std::sqrt(dot(real, real) + dot(dual, dual));
}

TEST_F(Palettes, KernelsOfEveryInstructionSetMatchDoublePrecision) {
  const Vec3<double> scales[] = {{1, 1, 1},    {2, 2, 2},    {1, 2, 0.5},        {-1, 1, 1},
                                 {-1, -2, -1}, {-1, -1, -1}, {1e-2, 1e-2, 1e-2}, {1.00008, 0.99993, 1.00005}};
  for (const std::size_t row_count : {1, 3, 4, 5, 8, 15, 16, 17, 41}) {
    const SkinBind bind = skin(row_count);
    for (const auto& scale : scales) {
      std::vector<Mat4<float>> model;
      // Every third row scales, so that blocks are mixed.
      for (std::size_t j = 0; j < row_count; ++j) {
        model.push_back(
            mat4_from(cast<float>(affine_from(transform(j % 3 ? Vec3<double>{1, 1, 1} : scale)))));
      }
      const auto exact_model = doubled(model);
      std::vector<DualQuat<double>> exact(row_count);
      PaletteDualQuatsJob<double> job{{&bind, exact_model, row_count}, exact};
      ASSERT_FALSE(job.run());
      EXPECT_EQ(job.rigid,
                std::abs(scale.x - 1) < kRigidTolerance && std::abs(scale.y - 1) < kRigidTolerance);
      std::vector<Mat4<double>> exact_matrices(row_count);
      ASSERT_FALSE((PaletteMatricesJob<double>{{&bind, exact_model, row_count}, exact_matrices}.run()));

      for (const Isa isa : runnable_isas()) {
        std::vector<DualQuat<float>> got(row_count + 1, DualQuat<float>{{7, 7, 7, 7}, {7, 7, 7, 7}});
        std::vector<std::uint8_t> states(row_count, kRowRigid);
        const auto worst = dual_quats(isa, bind, model, model.size(), got.data(), states.data());
        EXPECT_EQ(worst, job.rigid ? kRowRigid : kRowScaled) << isa_name(isa);
        std::vector<Mat4<float>> matrices(row_count);
        EXPECT_EQ(kernels_of(isa).matrices(bind.kernel_skin(), &model[0].m[0][0], &matrices[0].m[0][0]),
                  kRowRigid);
        for (std::size_t s = 0; s < row_count; ++s) {
          EXPECT_EQ(states[s], (row_count - 1 - s) % 3 || job.rigid ? kRowRigid : kRowScaled);
          EXPECT_LT(distance(got[s], exact[s]), kFloatTolerance) << isa_name(isa) << ", row " << s;
          EXPECT_GE(got[s].real.w, 0);
          for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j)
              EXPECT_NEAR(matrices[s].m[i][j], exact_matrices[s].m[i][j], kFloatTolerance);
          }
        }
        EXPECT_EQ(got[row_count].real.x, 7) << "written past the last row";
      }
    }
  }
}

// Files scale joints by 100, and their bind matrices by 0.01, or shear both.
TEST_F(Palettes, RowsAreRigidWhereModelsUndoWhatTheirSkinScales) {
  for (const Vec3<double>& bind_scale :
       {Vec3<double>{1, 1, 1}, {0.01, 0.01, 0.01}, {25, 25, 25}, {1, 1.25, 0.8}, {-1, -1, -1}}) {
    for (const std::size_t row_count : {5, 37}) {
      constexpr std::size_t kFrames = 3;
      const SkinBind bind = skin(row_count, bind_scale);
      std::vector<Mat4<float>> model(kFrames * row_count);
      for (std::size_t i = 0; i < model.size(); ++i) {
        const auto& row = bind.rows()[row_count - 1 - i % row_count];
        // Some that stretch an axis by a hundredth, and some that mirror.
        const double stretch = i % 7 == 3 ? 1.01 : 1, side = i % 5 == 2 ? -1 : 1;
        const Affine<double> wanted = affine_from(transform({side, stretch * side, side}));
        model[i] = mat4_from(cast<float>(wanted * inverse(row.joint_from_bind)));
        if (i == 1) model[i].m[3][0] = 1e-7f;  // what inverses leave
      }
      const auto exact_model = doubled(model);
      std::vector<DualQuat<double>> exact(model.size());
      PaletteDualQuatsJob<double> job{{&bind, exact_model, row_count}, exact};
      ASSERT_FALSE(job.run());
      for (const Isa isa : runnable_isas()) {
        std::vector<DualQuat<float>> got(model.size());
        std::vector<std::uint8_t> states(model.size(), kRowRigid);
        EXPECT_EQ(dual_quats(isa, bind, model, row_count, got.data(), states.data()), kRowScaled);
        for (std::size_t i = 0; i < model.size(); ++i) {
          const std::size_t joint = row_count - 1 - i % row_count + i / row_count * row_count;
          EXPECT_EQ(states[i], joint % 7 == 3 || joint % 5 == 2 ? kRowScaled : kRowRigid)
              << isa_name(isa) << ", " << i;
          // The products of translations round, which small scales make long.
          const double size = 1 + 1 / std::abs(bind_scale.x);
          EXPECT_LT(distance(got[i], exact[i]), kFloatTolerance * size) << isa_name(isa) << ", row " << i;
          EXPECT_GE(got[i].real.w, 0);
        }
      }
    }
  }
}

TEST_F(Palettes, KernelsLeaveWhatTheyCannotDoToDoublePrecision) {
  const SkinBind bind = skin(20);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  for (const Isa isa : runnable_isas()) {
    for (int what = 0; what < 12 + 4 + 4; ++what) {
      for (const float bad : {nan, infinity, -infinity}) {
        std::vector<Mat4<float>> model(20, Mat4<float>::identity());
        if (what < 16) {
          model[5].m[what / 4][what % 4] = bad;
        } else {
          // Lost axes and extreme scale.
          for (int axis = 0; axis < 3; ++axis) {
            if (axis <= what - 17) model[5].m[axis][axis] = 0;
            if (what == 16) model[5].m[axis][axis] = 1e-12f;
          }
          if (what == 17) model[5].m[0][0] = 1e-3f;
        }
        std::vector<DualQuat<float>> got(20);
        std::vector<std::uint8_t> states(20, kRowRigid);
        const auto worst = dual_quats(isa, bind, model, model.size(), got.data(), states.data());
        EXPECT_EQ(worst, kRowUnknown) << isa_name(isa) << ", " << what;
        for (std::size_t s = 0; s < 20; ++s) EXPECT_EQ(states[s], s == 14 ? kRowUnknown : kRowRigid) << what;
        std::vector<Mat4<float>> matrices(20);
        EXPECT_EQ(kernels_of(isa).matrices(bind.kernel_skin(), &model[0].m[0][0], &matrices[0].m[0][0]),
                  what < 16 ? kRowUnknown : kRowRigid);
      }
    }
  }
}

// Blocks of lanes run on from one pose into the next, and hold rows that scale beside rows that do not.
TEST_F(Palettes, RowsDoNotDependOnTheirNeighbours) {
  for (const std::size_t row_count : {1, 3, 7, 16, 21, 22}) {
    const SkinBind bind =
        skin(row_count, row_count == 22 ? Vec3<double>{1, 1.25, 0.8} : Vec3<double>{1, 1, 1});
    constexpr std::size_t kFrames = 9;
    std::vector<Mat4<float>> model;
    for (std::size_t i = 0; i < kFrames * (row_count + 1); ++i) {
      const Vec3<double> scale = i % 11 == 4 ? Vec3<double>{1, 2, 0.5} : Vec3<double>{1, 1, 1};
      model.push_back(mat4_from(cast<float>(affine_from(transform(scale)))));
      if (i % 13 == 6) model.back().m[1][1] = std::numeric_limits<float>::infinity();
    }
    for (const Isa isa : runnable_isas()) {
      std::vector<DualQuat<float>> all(kFrames * row_count), one(row_count);
      std::vector<std::uint8_t> states(all.size(), kRowRigid), one_states(row_count);
      dual_quats(isa, bind, model, row_count + 1, all.data(), states.data());
      for (std::size_t frame = 0; frame < kFrames; ++frame) {
        const auto first = model.begin() + static_cast<std::ptrdiff_t>(frame * (row_count + 1));
        const std::vector<Mat4<float>> pose(first, first + static_cast<std::ptrdiff_t>(row_count + 1));
        std::fill(one_states.begin(), one_states.end(), kRowRigid);
        dual_quats(isa, bind, pose, row_count + 1, one.data(), one_states.data());
        for (std::size_t s = 0; s < row_count; ++s) {
          const std::size_t i = frame * row_count + s;
          EXPECT_EQ(states[i], one_states[s]);
          if (states[i] == kRowUnknown) continue;
          EXPECT_EQ(std::memcmp(&all[i], &one[s], sizeof one[s]), 0) << isa_name(isa) << ", row " << i;
        }
      }
    }
  }
}

TEST_F(Palettes, TheFirstBadMatrixIsNamed) {
  const SkinBind bind = skin(3);
  std::vector<Mat4<double>> model(12, Mat4<double>::identity());
  model[7].m[0][0] = std::nan("");
  model[9].m[3][0] = 1;
  std::vector<Mat4<double>> out(12);
  const PaletteMatricesJob<double> job{{&bind, model, 3}, out};
  EXPECT_EQ(
      job.run().sentence(),
      "model at batch item 2, joint 1 is not finite; look for NaN, infinity or huge numbers in the pose");
  model[7].m[0][0] = 1;
  EXPECT_EQ(
      job.run().sentence(),
      "model at batch item 3, joint 0 must have the last row 0, 0, 0, 1; pass matrices for column vectors, "
      "as model_matrices gives");
  model[9].m[3][0] = 1e-9;
  EXPECT_FALSE(job.run());
}

TEST_F(Palettes, TooFewJointsAreRefusedBeforeAnythingIsRead) {
  const SkinBind bind = skin(3);
  PaletteDualQuatsJob<float> job{{&bind, {}, 2}, {}};
  EXPECT_EQ(
      job.run().sentence(),
      "model has 2 joints, but the skin uses joint 2; pass the matrices of the skeleton it was made for");
}

// What files leave of zeros must not reach the kernels: products of such numbers are too small for float32, and
// processors take a hundred times as long over those.
TEST_F(Palettes, PivotsHoldNoRemainsOfZeros) {
  Mat4<double> turned = transform();
  const Mat4<double> identity = mat4_from(Affine<double>::identity());
  Mat4<double> bind = identity;
  bind.m[0][3] = 0.7;
  bind.m[1][3] = 1e-21;  // of a pivot that lies on the first axis
  bind.m[1][0] = 1e-17;
  turned.m[2][3] = 1e-3;  // small, and meant
  SkinBind made;
  ASSERT_FALSE(
      SkinBind::make(std::vector<std::int32_t>{0, 0}, std::vector<Mat4<double>>{bind, turned}, made));
  const PaletteKernelSkin skin = made.kernel_skin();
  const float* const pivots_by_columns = skin.columns + 12 * skin.column_stride;
  EXPECT_FLOAT_EQ(pivots_by_columns[0], -0.7f);
  EXPECT_EQ(pivots_by_columns[skin.column_stride], 0.0f);
  EXPECT_EQ(pivots_by_columns[2 * skin.column_stride], 0.0f);
  const Vec3<double> kept = made.rows()[1].pivot;
  EXPECT_FLOAT_EQ(pivots_by_columns[1], static_cast<float>(kept.x));
  EXPECT_FLOAT_EQ(pivots_by_columns[skin.column_stride + 1], static_cast<float>(kept.y));
  EXPECT_FLOAT_EQ(pivots_by_columns[2 * skin.column_stride + 1], static_cast<float>(kept.z));
  std::vector<Vec3<double>> pivots(2);
  made.copy_pivots(pivots);
  EXPECT_FLOAT_EQ(static_cast<float>(pivots[0].x), -0.7f);
  EXPECT_EQ(pivots[1].z, kept.z);
}

TEST_F(Palettes, QuatTransAreRotationsAndTheTranslationsAfterThem) {
  const SkinBind bind = skin(5);
  std::vector<Mat4<double>> model;
  for (int j = 0; j < 5; ++j) model.push_back(transform());
  std::vector<DualQuat<double>> rigid(5);
  PaletteDualQuatsJob<double> dual_quats{{&bind, model, 5}, rigid};
  ASSERT_FALSE(dual_quats.run());
  std::vector<QuatTrans<double>> rows(5);
  PaletteQuatTransJob<double> job{rigid, rows};
  ASSERT_FALSE(job.run());
  const Vec3<double> point = {0.3, -2, 1};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Vec3<double> want = transform_point(rigid[i], point),
                       got = rotate(rows[i].rotation, point) + rows[i].translation;
    EXPECT_NEAR(length(got - want), 0, 1e-14);
    EXPECT_EQ(rows[i].unused, 0);
  }
  job.dual_quats = job.dual_quats.first(4);
  EXPECT_EQ(job.run().sentence(), "out must hold 4 rows, got 5");
}

}  // namespace
}  // namespace lissom
