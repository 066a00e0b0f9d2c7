// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/math/mat4.h"
#include "core/skinning/bound_rows.h"
#include "core/skinning/palette_kernels.h"

namespace lissom {

// The part of a skin that does not depend on poses.
class SkinBind {
 public:
  // `joints` (S) in [0, kMaxJoints), `joint_from_bind` (S) finite
  // with last rows 0, 0, 0, 1. On error `out` is unchanged.
  static Error make(std::span<const std::int32_t> joints, std::span<const Mat4<double>> joint_from_bind,
                    SkinBind& out);

  struct Row {
    std::int32_t joint;
    Affine<double> joint_from_bind;
    Vec3<double> pivot;                     // c, bind space; the origin where joint_from_bind has no inverse
    Mat3<double> joint_from_bind_rotation;  // see rotation_of_axes()
  };
  std::span<const Row> rows() const { return rows_; }
  std::int32_t joint_limit() const { return joint_limit_; }  // one above the largest joint
  void copy_pivots(std::span<Vec3<double>> out) const;       // (S) those of the rows

  std::span<const Affine<float>> joint_from_bind_float() const { return joint_from_bind_float_; }
  PaletteKernelSkin kernel_skin() const;
  // Rows by their joints, those of one joint as they come; their places are `numbers` apart in the order of the skin.
  std::vector<BoundRow> bound_rows(std::size_t numbers) const;
  // PaletteFrames::places for poses of so many joints; at least one row.
  void find_places(std::size_t joint_count, std::vector<std::ptrdiff_t>* places) const;

 private:
  std::vector<Row> rows_;
  std::vector<std::int32_t> joints_;
  std::vector<Affine<float>> joint_from_bind_float_;
  std::vector<float> columns_, similarities_;  // as PaletteKernelSkin has them
  std::int32_t joint_limit_ = 0;
};

}  // namespace lissom
