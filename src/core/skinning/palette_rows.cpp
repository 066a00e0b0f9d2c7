// SPDX-License-Identifier: MIT
#include "core/skinning/palette_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "core/math/conventions.h"
#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SignKernels, sign_kernels)

namespace {

constexpr std::size_t kLineFloats = 64 / sizeof(float);  // of a line of the cache
// The table of signs is computed where it has no more entries than this times the vertices: an entry costs about a
// tenth of a nanosecond, dot products instead cost several per vertex.
constexpr std::size_t kSignsPerVertex = 4;

bool uses_sides(SkinningMethod method) {
  return method == SkinningMethod::kDualQuat || method == SkinningMethod::kCor ||
         method == SkinningMethod::kBlended;
}
bool uses_matrices(SkinningMethod method) {
  return method == SkinningMethod::kLinear || method == SkinningMethod::kQuatTrans ||
         method == SkinningMethod::kBlended;
}
int side_floats(SkinningMethod method) {
  return method == SkinningMethod::kCor ? kMatrixScalars : kDualQuatScalars;
}

void store_affine(const Affine<float>& affine, float* row) { std::memcpy(row, &affine, sizeof affine); }

bool is_identity(const Affine<float>& affine) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      if (affine.m[i][j] != float(i == j)) return false;
    }
  }
  return true;
}

}  // namespace

// Aligned by hand: aligned allocation takes several times as long as the small palettes of one pose are worth.
AlignedFloats::AlignedFloats(std::size_t count) : data_(nullptr) {
  if (!count) return;
  memory_ = std::make_unique_for_overwrite<float[]>(count + kLineFloats - 1);
  const std::size_t into_line = reinterpret_cast<std::uintptr_t>(memory_.get()) / sizeof(float) % kLineFloats;
  data_ = memory_.get() + (into_line ? kLineFloats - into_line : 0);
}

PreparedRows::PreparedRows(const SkinningJob<float>& job, std::size_t batch)
    : row_count_(job.row_count),
      has_matrices_(uses_matrices(job.method)),
      has_scales_(!job.scales.empty() && job.method != SkinningMethod::kQuatTrans),
      has_sides_(uses_sides(job.method)),
      matrices_(has_matrices_ ? kMatrixScalars * row_count_ : 0),
      scales_(has_scales_ ? kMatrixScalars * row_count_ : 0),
      sides_(has_sides_ ? 2 * side_floats(job.method) * row_count_ : 0) {
  const std::size_t first = batch * row_count_;
  const auto* scales = reinterpret_cast<const Affine<float>*>(job.scales.data()) + first;
  if (job.method == SkinningMethod::kQuatTrans) {
    const auto* rigid = reinterpret_cast<const DualQuat<float>*>(job.quat_trans.data()) + first;
    for (std::size_t row = 0; row < row_count_; ++row) {
      const Quat<float> unit = (1 / length(rigid[row].real)) * rigid[row].real;
      const Affine<float> affine = affine_from(mat3_from(unit), rigid[row].dual.vector());
      store_affine(job.scales.empty() ? affine : affine * scales[row],
                   matrices_.data() + row * kMatrixScalars);
    }
  } else if (has_matrices_) {
    // The user's rows are the kernels' already, but may straddle cache lines, which costs more than this copy.
    std::memcpy(matrices_.data(), job.matrices.data() + first * kMatrixScalars,
                row_count_ * kMatrixScalars * sizeof(float));
  }
  if (has_scales_) {
    std::vector<std::uint8_t> scaled(row_count_);
    for (std::size_t row = 0; row < row_count_; ++row) {
      store_affine(scales[row], scales_.data() + row * kMatrixScalars);
      scaled[row] = !is_identity(scales[row]);
    }
    if (std::count(scaled.begin(), scaled.end(), 0)) scaled_rows_ = std::move(scaled);
  }
  if (!has_sides_) return;
  const int floats = side_floats(job.method);
  const auto* rigid = reinterpret_cast<const DualQuat<float>*>(job.dual_quats.data()) + first;
  float* side = sides_.data();
  for (std::size_t row = 0; row < row_count_; ++row) {
    for (const DualQuat<float>& q : {rigid[row], -rigid[row]}) {
      if (job.method == SkinningMethod::kCor) {
        store_affine(affine_from((1 / length(q.real)) * q), side);
        std::memcpy(side + kAffineScalars, &q.real, sizeof q.real);
      } else {
        std::memcpy(side, &q, sizeof q);
      }
      side += floats;
    }
  }
  // Blocks of prepared meshes compute the dot product once for all of their vertices.
  if (!job.prepared && job.mesh->influence_count() > 1 &&
      row_count_ * row_count_ <= kSignsPerVertex * job.mesh->vertex_count()) {
    signs_.resize(row_count_ * row_count_);
    const float* quats = job.dual_quats.data() + first * kDualQuatScalars;
    sign_kernels().find_signs(quats, kDualQuatScalars, row_count_, signs_.data());
  }
}

PaletteRows PreparedRows::rows() const {
  return {has_matrices_ ? matrices_.data() : nullptr, has_scales_ ? scales_.data() : nullptr,
          has_sides_ ? sides_.data() : nullptr, signs_.empty() ? nullptr : signs_.data(), row_count_};
}

const PreparedRows& SharedRows::of(std::size_t batch) {
  Slot& slot = slots_[batch];
  if (const PreparedRows* made = slot.made.load(std::memory_order_acquire)) return *made;
  const std::lock_guard<std::mutex> lock(slot.mutex);
  if (!slot.rows) {
    slot.rows = std::make_unique<PreparedRows>(job_, batch);
    slot.made.store(slot.rows.get(), std::memory_order_release);
  }
  return *slot.rows;
}

void SharedRows::done(std::size_t batch, std::size_t count) {
  Slot& slot = slots_[batch];
  if (slot.done.fetch_add(count, std::memory_order_acq_rel) + count == count_) slot.rows.reset();
}

}  // namespace lissom
