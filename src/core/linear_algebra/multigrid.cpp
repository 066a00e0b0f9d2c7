// SPDX-License-Identifier: MIT
#include "core/linear_algebra/multigrid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/linear_algebra/sparse_row.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_KERNEL_TABLE(MultigridKernels, multigrid_kernels)
namespace {

constexpr std::size_t kLanes = kSolveLanes;

// Pairs of sweeps on the coarsest level.
constexpr int kCoarsestSweeps = 8;

SparseMatrix transpose(const SparseMatrix& a, std::size_t column_count) {
  SparseMatrix result;
  result.starts.assign(column_count + 1, 0);
  for (const std::int32_t column : a.columns) ++result.starts[column + 1];
  for (std::size_t i = 0; i < column_count; ++i) result.starts[i + 1] += result.starts[i];
  result.columns.resize(a.columns.size());
  result.values.resize(a.columns.size());
  std::vector<std::size_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t row = 0; row < a.row_count(); ++row) {
    for (std::size_t e = a.starts[row]; e < a.starts[row + 1]; ++e) {
      const std::size_t at = next[a.columns[e]]++;
      result.columns[at] = static_cast<std::int32_t>(row);
      result.values[at] = a.values[e];
    }
  }
  return result;
}

SparseMatrix multiply(const SparseMatrix& a, const SparseMatrix& b, std::size_t column_count) {
  SparseMatrix result;
  result.starts.assign(1, 0);
  SparseRow sum(column_count);
  for (std::size_t row = 0; row < a.row_count(); ++row) {
    for (std::size_t i = a.starts[row]; i < a.starts[row + 1]; ++i) sum.add(a.values[i], b, a.columns[i]);
    sum.append_to(&result);
  }
  return result;
}

}  // namespace

void Multigrid::add(SparseMatrix q) {
  Level level;
  for (std::size_t i = 0; i < q.row_count(); ++i) {
    const auto begin = q.columns.begin() + static_cast<std::ptrdiff_t>(q.starts[i]);
    const auto end = q.columns.begin() + static_cast<std::ptrdiff_t>(q.starts[i + 1]);
    level.diagonals.push_back(static_cast<std::size_t>(
        std::lower_bound(begin, end, static_cast<std::int32_t>(i)) - q.columns.begin()));
    level.inverses.push_back(1 / q.values[level.diagonals.back()]);
    level.scales.push_back(std::sqrt(level.inverses.back()));
  }
  for (std::size_t i = 0; i < q.row_count(); ++i) {
    for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e) {
      const double scale = level.scales[i] * level.scales[static_cast<std::size_t>(q.columns[e])];
      level.scaled_q.push_back(static_cast<float>(q.values[e] * scale));
    }
  }
  level.q = std::move(q);
  levels_.push_back(std::move(level));
}

void Multigrid::coarsen(SparseMatrix interpolation, std::size_t column_count) {
  const SparseMatrix across = transpose(interpolation, column_count);
  SparseMatrix q = multiply(across, multiply(levels_.back().q, interpolation, column_count), column_count);
  levels_.back().p = std::move(interpolation);
  add(std::move(q));
  Level& fine = levels_[levels_.size() - 2];
  const std::vector<double>& coarse_scales = levels_.back().scales;
  for (std::size_t i = 0; i < fine.p.row_count(); ++i) {
    for (std::size_t e = fine.p.starts[i]; e < fine.p.starts[i + 1]; ++e) {
      const double scale = coarse_scales[static_cast<std::size_t>(fine.p.columns[e])] / fine.scales[i];
      fine.scaled_p.push_back(static_cast<float>(fine.p.values[e] * scale));
    }
  }
}

MatrixRows Multigrid::rows(std::size_t level, const std::vector<std::int32_t>& chosen) const {
  const Level& of = levels_[level];
  return {of.q.row_count(),    chosen.data(),       chosen.size(),      of.q.starts.data(),
          of.diagonals.data(), of.q.columns.data(), of.q.values.data(), of.inverses.data(),
          of.scales.data(),    of.scaled_q.data()};
}

InterpolationRows Multigrid::interpolation_rows(std::size_t level) const {
  const SparseMatrix& p = levels_[level].p;
  return {p.row_count(), p.starts.data(), p.columns.data(), levels_[level].scaled_p.data()};
}

void multigrid_cycle(const Multigrid& grid, std::size_t level, std::vector<MultigridVectors>* vectors) {
  const MultigridKernels& kernels = multigrid_kernels();
  MultigridVectors& own = (*vectors)[level];
  const MatrixRows rows = grid.rows(level, own.chosen);
  kernels.first_sweep(rows, own.mask.data(), own.r.data(), own.z.data());
  if (level + 1 == grid.level_count()) {
    for (int k = 1; k < kCoarsestSweeps; ++k) {
      kernels.sweep(rows, own.mask.data(), own.r.data(), own.z.data(), true);
      kernels.sweep(rows, own.mask.data(), own.r.data(), own.z.data(), false);
    }
  } else {
    MultigridVectors& coarse = (*vectors)[level + 1];
    std::fill(coarse.r.begin(), coarse.r.end(), 0.0f);
    kernels.restrict_rest(rows, grid.interpolation_rows(level), own.mask.data(), own.z.data(),
                          coarse.r.data());
    multigrid_cycle(grid, level + 1, vectors);
    kernels.prolong(rows, grid.interpolation_rows(level), own.mask.data(), coarse.z.data(), own.z.data());
  }
  kernels.sweep(rows, own.mask.data(), own.r.data(), own.z.data(), true);
}

void multigrid_masks(const Multigrid& grid, std::size_t level, std::vector<MultigridVectors>* vectors) {
  for (std::size_t l = level; l < grid.level_count(); ++l) {
    MultigridVectors& own = (*vectors)[l];
    own.chosen.clear();
    for (std::size_t i = 0; i < grid.row_count(l); ++i) {
      const float* mask = &own.mask[i * kLanes];
      if (std::any_of(mask, mask + kLanes, [](float free) { return free != 0; }))
        own.chosen.push_back(static_cast<std::int32_t>(i));
    }
    std::fill(own.z.begin(), own.z.end(), 0.0f);
    if (l + 1 == grid.level_count()) return;
    const SparseMatrix& p = grid.interpolation(l);
    std::vector<float>& coarse = (*vectors)[l + 1].mask;
    std::fill(coarse.begin(), coarse.end(), 1.0f);
    for (std::size_t i = 0; i < p.row_count(); ++i) {
      for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          coarse[static_cast<std::size_t>(p.columns[e]) * kLanes + lane] *= own.mask[i * kLanes + lane];
      }
    }
  }
}

}  // namespace lissom
