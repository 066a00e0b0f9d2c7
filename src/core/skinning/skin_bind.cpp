// SPDX-License-Identifier: MIT
#include "core/skinning/skin_bind.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/math/conventions.h"
#include "core/math/polar.h"
#include "core/math/quat.h"

namespace lissom {
namespace {

bool is_finite(const Mat4<double>& a) {
  for (const auto& row : a.m) {
    for (const double entry : row) {
      if (!std::isfinite(entry)) return false;
    }
  }
  return true;
}

// What kernels read by columns: the numbers of joint_from_bind, then of the pivot.
constexpr std::size_t kBindColumns = 12, kColumns = kBindColumns + 3;
std::size_t column_stride(std::size_t row_count) { return row_count + kPaletteBlock; }

// Flushes rounding of zeros to zero. Exporters leave some as small as 1e-40, and operations on subnormal products take
// a hundred times as long: it made palettes ten times as slow.
Affine<float> without_dust(Affine<float> a) {
  float largest = 0;
  for (const auto& row : a.m) {
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(row[j]));
  }
  constexpr float kDust = 0x1p-64f;  // of the largest entry: far below the rounding of sums in float32
  for (auto& row : a.m) {
    for (int j = 0; j < 3; ++j) row[j] = std::abs(row[j]) < kDust * largest ? 0.0f : row[j];
    row[3] = std::abs(row[3]) < std::numeric_limits<float>::min() ? 0.0f : row[3];
  }
  return a;
}

// The same for a pivot, whose rounding comes from that of the matrix: with rounded zeros of a rotation its products are
// subnormal, too. Far larger than the one above, and still far below a float32's last bit of the pivot.
Vec3<float> without_dust(Vec3<float> c) {
  const float dust = 0x1p-41f * std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)});
  const auto cleaned = [dust](float x) { return std::abs(x) < dust ? 0.0f : x; };
  return {cleaned(c.x), cleaned(c.y), cleaned(c.z)};
}

// What kernels read of a row that turns, moves and scales alike along all axes.
constexpr std::size_t kSimilarityColumns = 10;
// Such a row may differ from one by this: far enough below kRigidTolerance that what is rigid without it is with it, and so
// small that its product with what is not rigid is below float32's rounding.
constexpr double kSimilarityTolerance = 0.2 * kRigidTolerance;
// Scales whose fourth powers are safe numbers.
constexpr double kLeastScale = 1e-4, kMostScale = 1e4;

bool find_similarity(const SkinBind::Row& row, const Vec3<float>& pivot,
                     float (&numbers)[kSimilarityColumns]) {
  const Mat3<double> linear = row.joint_from_bind.linear();
  Mat3<double> rotation;
  if (determinant(linear) <= 0 || !regular_polar_rotation(linear, rotation)) return false;
  const double scale = std::sqrt(squared_norm(linear) / 3);
  if (scale < kLeastScale || scale > kMostScale) return false;
  if (largest_off_identity((1 / scale) * (transpose(rotation) * linear)) > kSimilarityTolerance) return false;
  const Quat<float> turn = cast<float>(quat_from(rotation));
  const auto unit = static_cast<float>(1 / scale);
  const float found[kSimilarityColumns] = {turn.x,
                                           turn.y,
                                           turn.z,
                                           turn.w,
                                           pivot.x / 2,
                                           pivot.y / 2,
                                           pivot.z / 2,
                                           unit,
                                           static_cast<float>(scale * scale / 2),
                                           static_cast<float>(32 / (scale * scale * scale * scale))};
  std::copy(std::begin(found), std::end(found), numbers);
  return true;
}

}  // namespace

Error SkinBind::make(std::span<const std::int32_t> joints, std::span<const Mat4<double>> joint_from_bind,
                     SkinBind& out) {
  SkinBind made;
  std::vector<Vec3<float>> pivots;
  for (std::size_t s = 0; s < joints.size(); ++s) {
    const auto at = [s] { return "[" + std::to_string(s) + "]"; };
    if (joints[s] < 0 || joints[s] >= kMaxJoints) {
      return Error("joints" + at() + " must be at least 0 and below " + std::to_string(kMaxJoints) +
                   ", got " + std::to_string(joints[s]) + "; every row of a skin follows a joint");
    }
    if (!is_finite(joint_from_bind[s])) {
      return Error("joint_from_bind" + at() +
                   " must be finite, got NaN or infinity; repair the inverse bind matrices");
    }
    if (!is_affine(joint_from_bind[s])) {
      return Error("joint_from_bind" + at() +
                   " must have the last row 0, 0, 0, 1; transpose matrices that are stored by columns");
    }
    // Inverse bind matrices come from files in float32, whatever their type now.
    Row row{joints[s], affine_from(joint_from_bind[s]), {0, 0, 0}, {}};
    const Mat3<double> linear = row.joint_from_bind.linear();
    if (is_invertible(linear, kRankToleranceFloat)) row.pivot = inverse(row.joint_from_bind).translation();
    row.joint_from_bind_rotation = rotation_of_axes(linear, Mat3<double>::identity(), kRankToleranceFloat);
    pivots.push_back(without_dust(cast<float>(row.pivot)));
    made.rows_.push_back(row);
    made.joints_.push_back(row.joint);
    made.joint_from_bind_float_.push_back(without_dust(cast<float>(row.joint_from_bind)));
    made.joint_limit_ = std::max(made.joint_limit_, row.joint + 1);
  }
  const std::size_t stride = column_stride(joints.size());
  made.columns_.resize(joints.empty() ? 0 : kColumns * stride);
  for (std::size_t i = 0; i < stride && !joints.empty(); ++i) {
    const std::size_t s = i % joints.size();
    const Affine<float>& bind = made.joint_from_bind_float_[s];
    for (std::size_t k = 0; k < kBindColumns; ++k) made.columns_[k * stride + i] = bind.m[k / 4][k % 4];
    const float pivot[3] = {pivots[s].x, pivots[s].y, pivots[s].z};
    for (std::size_t k = 0; k < 3; ++k) made.columns_[(kBindColumns + k) * stride + i] = pivot[k];
  }
  std::vector<float> similarities(joints.empty() ? 0 : kSimilarityColumns * stride);
  bool are_similarities = true;
  for (std::size_t s = 0; s < joints.size() && are_similarities; ++s) {
    float numbers[kSimilarityColumns];
    are_similarities = find_similarity(made.rows_[s], pivots[s], numbers);
    for (std::size_t k = 0; k < kSimilarityColumns && are_similarities; ++k) {
      for (std::size_t i = s; i < stride; i += joints.size()) similarities[k * stride + i] = numbers[k];
    }
  }
  if (are_similarities) made.similarities_ = std::move(similarities);
  out = std::move(made);
  return {};
}

void SkinBind::copy_pivots(std::span<Vec3<double>> out) const {
  for (std::size_t s = 0; s < rows_.size(); ++s) out[s] = rows_[s].pivot;
}

PaletteKernelSkin SkinBind::kernel_skin() const {
  return {joints_.data(),
          reinterpret_cast<const float*>(joint_from_bind_float_.data()),
          columns_.data(),
          similarities_.empty() ? nullptr : similarities_.data(),
          column_stride(rows_.size()),
          rows_.size()};
}

std::vector<BoundRow> SkinBind::bound_rows(std::size_t numbers) const {
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::is_sorted(joints_.begin(), joints_.end())) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return joints_[a] < joints_[b]; });
  }
  std::vector<BoundRow> bound;
  bound.reserve(order.size());
  for (const std::size_t s : order) {
    BoundRow row;
    const Affine<float>& bind = joint_from_bind_float_[s];
    for (std::size_t k = 0; k < kBindColumns; ++k) row.joint_from_bind[k] = bind.m[k / 4][k % 4];
    for (std::size_t k = 0; k < 3; ++k)
      row.pivot[k] = columns_[(kBindColumns + k) * column_stride(rows_.size()) + s];
    row.sign = determinant(rows_[s].joint_from_bind.linear()) < 0 ? 0x80000000u : 0u;
    row.joint = static_cast<std::size_t>(joints_[s]);
    row.place = numbers * s;
    bound.push_back(row);
  }
  return bound;
}

void SkinBind::find_places(std::size_t joint_count, std::vector<std::ptrdiff_t>* places) const {
  places->clear();
  for (std::size_t frame = 0; places->size() < column_stride(rows_.size()); ++frame) {
    for (std::size_t s = 0; s < rows_.size() && places->size() < column_stride(rows_.size()); ++s) {
      const std::size_t matrix = frame * joint_count + static_cast<std::size_t>(joints_[s]);
      places->push_back(static_cast<std::ptrdiff_t>(16 * matrix));
    }
  }
}

}  // namespace lissom
