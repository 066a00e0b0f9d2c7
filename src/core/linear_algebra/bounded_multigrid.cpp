// SPDX-License-Identifier: MIT
#include "core/linear_algebra/bounded_multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"
#include "core/stopwatch.h"

namespace lissom {
LISSOM_KERNEL_TABLE(MultigridKernels, multigrid_kernels)
namespace {

constexpr std::size_t kLanes = kSolveLanes;
using PerLane = std::array<double, kLanes>;
constexpr PerLane kWhole = {1, 1, 1, 1, 1, 1, 1, 1};
using Flags = std::vector<std::uint8_t>;

// A free unknown this far beyond a bound, by the tolerance, is set to it. Smaller ones stay free: around contact they
// would change sides for ever, and they are clipped in the end.
constexpr double kPastBound = 1e-2;
// A multiplier of the wrong sign frees its unknown where it alone would move that by this, by the tolerance. Far parts of
// thin limbs are moved by forces that are smaller than those of near ones by orders of magnitude.
constexpr double kPull = 1e-7;
// Of more handles than these each is 0 in most of the volume. Where it is less than kLeftOut, by the tolerance, at an
// unknown and at all that its row has, the unknown is left out at 0. It is taken in where it would leave by kPastBound.
constexpr std::size_t kFewHandles = 2 * kLanes;
constexpr double kLeftOut = 1e-3;
// How often an unknown of the next coarser level, of the one after that and of others is freed.
constexpr int kFreedAtMost[] = {4, 3, 2};

// Conjugate gradients end where the residual, in the norm of its preconditioner, has fallen to this share in each lane
// whose last step was above kStepAtMost of the tolerance.
constexpr double kResidual = 0.1;
constexpr double kStepAtMost = 1e-3;
constexpr int kFewestSteps = 2;
constexpr int kStepLimit = 60;

constexpr int kSetLimit = 60;
constexpr int kCoarseSetLimit = 15;
// Where conjugate gradients reach their limit so often on the finest level, coarse levels do not stand in for it, as
// among tetrahedra of all shapes and sizes: it is given up.
constexpr int kStallLimit = 3;
// Coarse levels are starts alone.
constexpr double kCoarseTolerance = 2;
// The rest of a geometric series of changes, as in ErrorEstimate of admm.cpp.
constexpr double kErrorPerTail = 2;
// The energy may fall along a coarse unknown that was freed often enough. Where it moves by this part of the tolerance by
// itself, others do by more.
constexpr double kErrorPerPull = 100;
// A handle of which so little is left, by the tolerance, stays as it is while others of its group go on.
constexpr double kDone = 1e-2;
constexpr double kFastest = 0.2, kSlowest = 0.95;

// Eight handles.
class Group {
 public:
  Group(const BoundedMultigrid& job, std::size_t first)
      : job_(job), lane_count_(std::min(kLanes, job.problem->handle_count - first)) {
    for (std::size_t lane = 0; lane < lane_count_; ++lane)
      handles_[lane] = job.order.empty() ? first + lane : static_cast<std::size_t>(job.order[first + lane]);
    const Multigrid& grid = *job.grid;
    levels_.resize(grid.level_count());
    vectors_.resize(grid.level_count());
    for (std::size_t l = 0; l < grid.level_count(); ++l) {
      const std::size_t size = grid.row_count(l) * kLanes;
      levels_[l].x.assign(size, 0.0);
      levels_[l].b.assign(size, 0.0);
      levels_[l].freed.assign(size, 0);
      levels_[l].is_out.assign(size, 0);
      levels_[l].r.assign(size, 0.0);
      vectors_[l].mask.assign(size, 1.0f);
      vectors_[l].r.assign(size, 0.0f);
      vectors_[l].z.assign(size, 0.0f);
    }
    const std::size_t count = grid.row_count(0), handle_count = job.problem->handle_count;
    p_.assign(count * kLanes, 0.0);
    q_ = before_ = p_;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t lane = 0; lane < lane_count_; ++lane)
        levels_[0].b[i * kLanes + lane] = job.problem->b[i * handle_count + handles_[lane]];
    }
    std::vector<std::int32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t l = 0; l + 1 < grid.level_count(); ++l) {
      all.resize(grid.row_count(l));
      restrict(l, all, levels_[l].b, &levels_[l + 1].b);
    }
    level_ = grid.level_count() - 1;
    start();
  }

  // One set of active bounds of one level, or the way to the next level. False where the finest is done.
  bool step() {
    solve_free();
    if (sets_ == 0) find_far();  // better known than at the start
    const bool is_settled = change_sets();
    if (level_ > 0) {
      if (is_settled || sets_ == kCoarseSetLimit) descend();
      return true;
    }
    return !is_settled && !is_given_up();
  }

  // Where step() has ended without the tolerance.
  bool is_given_up() const {
    return level_ == 0 && !(estimate_ < job_.tolerance) && (sets_ >= kSetLimit || stalls_ >= kStallLimit);
  }

  void copy(std::vector<double>* w) const {
    const std::size_t handle_count = job_.problem->handle_count;
    const std::vector<double>& x = levels_[0].x;
    for (std::size_t i = 0; i < job_.grid->row_count(0); ++i) {
      for (std::size_t lane = 0; lane < lane_count_; ++lane)
        (*w)[i * handle_count + handles_[lane]] = std::clamp(x[i * kLanes + lane], 0.0, 1.0);
    }
  }

  void report(BoundedMultigridFacts* facts) const {
    facts->converged = facts->converged && estimate_ < job_.tolerance;
    facts->cycles = std::max(facts->cycles, cycles_);
    facts->set_changes = std::max(facts->set_changes, sets_);
    for (const double moved : moved_[0]) facts->change = std::max(facts->change, moved);
    facts->error_estimate = std::max(facts->error_estimate, estimate_);
    for (std::size_t i = 0; i < levels_[0].x.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < lane_count_; ++lane) {
        facts->lowest = std::min(facts->lowest, levels_[0].x[i + lane]);
        facts->highest = std::max(facts->highest, levels_[0].x[i + lane]);
      }
    }
    facts->past_bounds = std::max(-facts->lowest, facts->highest - 1);
  }

  // 0 to 1, by levels and by the estimate on the finest.
  double done() const {
    const double reached =
        static_cast<double>(levels_.size() - 1 - level_) / static_cast<double>(levels_.size());
    if (level_ > 0 || estimate_ >= 1) return 0.3 * reached;
    return 0.3 + 0.7 * std::clamp(std::log(estimate_) / std::log(job_.tolerance), 0.0, 1.0);
  }

 private:
  struct Level {
    std::vector<double> x, b, r;
    Flags freed;   // how often
    Flags is_out;  // left out at 0
    std::vector<std::int32_t>
        near;  // rows with an unknown that is not, or that move one: r of all others is 0
  };

  // Of the rows that are not 0.
  void restrict(std::size_t level, const std::vector<std::int32_t>& rows, const std::vector<double>& fine,
                std::vector<double>* coarse) const {
    const SparseMatrix& p = job_.grid->interpolation(level);
    std::fill(coarse->begin(), coarse->end(), 0.0);
    for (const std::int32_t row : rows) {
      const auto i = static_cast<std::size_t>(row);
      for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          (*coarse)[static_cast<std::size_t>(p.columns[e]) * kLanes + lane] +=
              p.values[e] * fine[i * kLanes + lane];
      }
    }
  }

  MatrixRows rows_of(std::size_t level) const { return job_.grid->rows(level, vectors_[level].chosen); }
  // r = b - A x, where it is not 0.
  void find_residual() {
    multigrid_kernels().subtract(job_.grid->rows(level_, levels_[level_].near), levels_[level_].b.data(),
                                 levels_[level_].x.data(), levels_[level_].r.data());
  }

  // Whether handles are so many that each is 0 in most of the volume.
  bool is_local() const { return job_.problem->handle_count > kFewHandles; }

  // Leaves out what is far from the handles, by x.
  void find_far() {
    Level& level = levels_[level_];
    const SparseMatrix& q = job_.grid->matrix(level_);
    const std::size_t count = q.row_count();
    // A row's eight flags as one number.
    static_assert(kLanes == sizeof(std::uint64_t));
    std::vector<std::uint64_t> is_small(count, 0), is_out(count, 0);
    if (is_local() && level_ + 1 < levels_.size()) {
      const double least = kLeftOut * job_.tolerance;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t flags[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          flags[lane] = std::abs(level.x[i * kLanes + lane]) < least && level.b[i * kLanes + lane] == 0;
        std::memcpy(&is_small[i], flags, kLanes);
      }
      for (std::size_t i = 0; i < count; ++i) {
        is_out[i] = is_small[i];
        for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e)
          is_out[i] &= is_small[static_cast<std::size_t>(q.columns[e])];
      }
      std::memcpy(level.is_out.data(), is_out.data(), level.is_out.size());
    }
    find_near();
    for (std::size_t i = 0; i < level.x.size(); ++i) {
      if (!level.is_out[i]) continue;
      level.x[i] = 0;
      vectors_[level_].mask[i] = 0;
    }
    std::fill(level.r.begin(), level.r.end(), 0.0);
  }

  void find_near() {
    Level& level = levels_[level_];
    const SparseMatrix& q = job_.grid->matrix(level_);
    const std::size_t count = q.row_count();
    std::vector<std::uint64_t> is_out(count);
    std::memcpy(is_out.data(), level.is_out.data(), level.is_out.size());
    constexpr std::uint64_t kAll = 0x0101010101010101;
    level.near.clear();
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t all_out = kAll;
      for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e)
        all_out &= is_out[static_cast<std::size_t>(q.columns[e])];
      if (all_out != kAll) level.near.push_back(static_cast<std::int32_t>(i));
    }
  }

  double pull(double residual, double x, double inverse) const {
    return (x > 0.5 ? -residual : residual) * inverse;  // inwards, if above 0
  }

  // The first sets of a level: what the coarser one held at a bound, or moved beyond it.
  void start() {
    find_far();
    find_residual();
    const std::vector<double>& x = levels_[level_].x;
    const Flags& is_out = levels_[level_].is_out;
    std::vector<float>& mask = vectors_[level_].mask;
    const double past = kPastBound * job_.tolerance, least = kPull * job_.tolerance;
    const MatrixRows rows = rows_of(level_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_past = x[i] < -past || x[i] > 1 + past;
      const bool is_held =
          (x[i] == 0 || x[i] == 1) && pull(levels_[level_].r[i], x[i], rows.inverses[i / kLanes]) <= least;
      mask[i] = is_past || is_held || is_out[i] ? 0.0f : 1.0f;
    }
    sets_ = 0;
    for (std::size_t l = level_; l < levels_.size(); ++l)
      std::fill(levels_[l].freed.begin(), levels_[l].freed.end(), 0);
  }

  void descend() {
    const std::vector<double>& from = levels_[level_].x;
    --level_;
    std::vector<double>& to = levels_[level_].x;
    const SparseMatrix& p = job_.grid->interpolation(level_);
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t i = 0; i < p.row_count(); ++i) {
      for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          to[i * kLanes + lane] += p.values[e] * from[static_cast<std::size_t>(p.columns[e]) * kLanes + lane];
      }
    }
    start();
  }

  void solve_free() {
    const MultigridKernels& kernels = multigrid_kernels();
    std::vector<double>&x = levels_[level_].x, &r = levels_[level_].r;
    std::vector<float>&scaled = vectors_[level_].r, &z = vectors_[level_].z;
    const std::vector<float>& mask = vectors_[level_].mask;
    std::copy(x.begin(), x.end(), before_.begin());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (mask[i] == 0 && !is_done_[i % kLanes]) x[i] = x[i] > 0.5 ? 1 : 0;
    }
    multigrid_masks(*job_.grid, level_, &vectors_);
    const MatrixRows rows = rows_of(level_);
    kernels.subtract(rows, levels_[level_].b.data(), x.data(), r.data());
    std::fill(p_.begin(), p_.begin() + static_cast<std::ptrdiff_t>(x.size()), 0.0);
    PerLane size{}, first_size{}, factor{}, energy, largest;
    for (int k = 0; k < kStepLimit; ++k) {
      kernels.scale(rows, r.data(), scaled.data());
      multigrid_cycle(*job_.grid, level_, &vectors_);
      cycles_ += level_ == 0;
      const PerLane last = size;
      kernels.dot(rows, z.data(), r.data(), size.data());
      if (k == 0) first_size = size;
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        factor[lane] = last[lane] > 0 ? size[lane] / last[lane] : 0;
      kernels.direct(rows, z.data(), factor.data(), p_.data());
      kernels.multiply(rows, p_.data(), q_.data(), energy.data());
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        factor[lane] = energy[lane] > 0 ? size[lane] / energy[lane] : 0;
      kernels.advance(rows, factor.data(), p_.data(), q_.data(), x.data(), r.data(), largest.data());
      bool is_done = k + 1 >= kFewestSteps;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        is_done = is_done && (largest[lane] <= kStepAtMost * job_.tolerance ||
                              size[lane] <= kResidual * kResidual * first_size[lane]);
      }
      if (is_done) return;
    }
    stalls_ += level_ == 0;
  }

  // True where the sets are the last of this level.
  bool change_sets() {
    const std::vector<double>&x = levels_[level_].x, &r = levels_[level_].r;
    Flags& is_out = levels_[level_].is_out;
    std::vector<float>& mask = vectors_[level_].mask;
    const MatrixRows rows = rows_of(level_);
    find_residual();
    const double past = kPastBound * job_.tolerance, least = kPull * job_.tolerance;
    Flags freed(x.size(), 0);
    free_coarse(least, &freed);
    PerLane moved{};
    bool is_wider = false;
    for (const std::int32_t row : levels_[level_].near) {
      const std::size_t first = static_cast<std::size_t>(row) * kLanes;
      const double inverse = rows.inverses[static_cast<std::size_t>(row)];
      // Without a branch for each lane first: few rows change.
      unsigned changes = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = first + lane;
        moved[lane] = std::max(moved[lane], std::abs(x[i] - before_[i]));
        const unsigned is_past = unsigned{x[i] < -past} | unsigned{x[i] > 1 + past};
        const unsigned is_pulled = unsigned{freed[i] != 0} | unsigned{pull(r[i], x[i], inverse) > least};
        changes |= mask[i] != 0 ? is_past : is_pulled;
      }
      if (changes == 0) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = first + lane;
        if (is_done_[lane]) continue;
        if (mask[i] != 0) {
          if (x[i] < -past || x[i] > 1 + past) mask[i] = 0;
        } else if (freed[i] || pull(r[i], x[i], inverse) > (is_out[i] ? past : least)) {
          mask[i] = 1;
          is_wider = is_wider || is_out[i];
          is_out[i] = 0;
        }
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (is_done_[lane]) moved[lane] = 0;
    }
    if (is_wider) find_near();
    ++sets_;
    moved_ = {moved, sets_ == 1 ? kWhole : moved_[0], sets_ == 1 ? kWhole : moved_[1]};
    if (level_ > 0) return *std::max_element(moved.begin(), moved.end()) < kCoarseTolerance * job_.tolerance;
    estimate_ = 0;
    for (std::size_t lane = 0; lane < lane_count_; ++lane) {
      if (!is_done_[lane]) estimates_[lane] = estimate_of(lane);
      estimate_ = std::max(estimate_, estimates_[lane]);
      if (is_done_[lane] || estimates_[lane] >= kDone * job_.tolerance) continue;
      is_done_[lane] = true;
      for (std::size_t i = lane; i < mask.size(); i += kLanes) mask[i] = 0;
    }
    return estimate_ < job_.tolerance;
  }

  double estimate_of(std::size_t lane) const {
    if (sets_ == 1) return 1;
    const double last = moved_[0][lane], first = moved_[2][lane];
    const double ratio = first > 0 ? std::clamp(std::sqrt(last / first), kFastest, kSlowest) : kFastest;
    const double left = std::max(last, moved_[1][lane] * ratio) * ratio / (1 - ratio);
    return std::max(kErrorPerTail * left, kErrorPerPull * pull_[lane]);
  }

  // Marks what coarse unknowns free.
  void free_coarse(double least, Flags* freed) {
    const Multigrid& grid = *job_.grid;
    if (level_ + 1 == grid.level_count()) return;
    const std::vector<double>&x = levels_[level_].x, &r = levels_[level_].r;
    std::vector<double> fine(x.size());
    pull_ = {};
    std::vector<std::int32_t> near = levels_[level_].near;
    for (const std::int32_t row : near) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = static_cast<std::size_t>(row) * kLanes + lane;
        if (!levels_[level_].is_out[i] && !is_done_[lane]) fine[i] = pull(r[i], x[i], 1);
      }
    }
    std::vector<Flags> marks(grid.level_count());
    for (std::size_t l = level_ + 1; l < grid.level_count(); ++l) {
      std::vector<double> coarse(grid.row_count(l) * kLanes);
      restrict(l - 1, near, fine, &coarse);
      near.resize(grid.row_count(l));
      std::iota(near.begin(), near.end(), 0);
      marks[l].assign(coarse.size(), 0);
      const int limit = kFreedAtMost[std::min<std::size_t>(l - level_ - 1, 2)];
      const MatrixRows rows = rows_of(l);
      for (std::size_t i = 0; i < coarse.size(); ++i) {
        const double way = coarse[i] * rows.inverses[i / kLanes];
        pull_[i % kLanes] = std::max(pull_[i % kLanes], way);
        if (way <= least || levels_[l].freed[i] >= limit) continue;
        ++levels_[l].freed[i];
        marks[l][i] = 1;
      }
      fine.swap(coarse);
    }
    for (std::size_t l = grid.level_count() - 1; l-- > level_;) {
      const SparseMatrix& p = grid.interpolation(l);
      Flags& to = l == level_ ? *freed : marks[l];
      for (std::size_t i = 0; i < p.row_count(); ++i) {
        for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
          for (std::size_t lane = 0; lane < kLanes; ++lane)
            to[i * kLanes + lane] |= marks[l + 1][static_cast<std::size_t>(p.columns[e]) * kLanes + lane];
        }
      }
    }
  }

  const BoundedMultigrid& job_;
  std::size_t lane_count_;
  std::array<std::size_t, kLanes> handles_{};
  std::vector<Level> levels_;
  std::vector<MultigridVectors> vectors_;
  std::vector<double> p_, q_, before_;
  std::size_t level_ = 0;
  int sets_ = 0, cycles_ = 0, stalls_ = 0;  // of this level; of the finest
  std::array<PerLane, 3> moved_;            // largest changes by the last sets, the latest first
  double estimate_ = 1;
  PerLane estimates_ = kWhole;
  PerLane pull_{};                      // the largest along a coarse unknown, of the last sets
  std::array<bool, kLanes> is_done_{};  // on the finest level: these stay as they are
};

}  // namespace

Error BoundedMultigrid::run(std::vector<double>* w, BoundedMultigridFacts* facts) const {
  Stopwatch watch;
  const std::size_t count = grid->row_count(0), handle_count = problem->handle_count;
  const std::size_t group_count = (handle_count + kLanes - 1) / kLanes;
  const auto at_once = static_cast<std::size_t>(thread_count());
  w->assign(count * handle_count, 0.0);
  facts->converged = true;
  double furthest = 0;
  for (std::size_t begin = 0; begin < group_count; begin += at_once) {
    std::vector<Group> groups;
    for (std::size_t g = begin; g < std::min(group_count, begin + at_once); ++g)
      groups.emplace_back(*this, g * kLanes);
    std::vector<char> is_busy(groups.size(), 1);
    bool is_given_up = false;
    while (!is_given_up && std::find(is_busy.begin(), is_busy.end(), 1) != is_busy.end()) {
      const double nanoseconds = 1e4 * static_cast<double>(count);
      parallel_for(groups.size(), 1, nanoseconds, [&](std::size_t from, std::size_t to) {
        for (std::size_t g = from; g < to; ++g) is_busy[g] = is_busy[g] && groups[g].step();
      });
      double done = static_cast<double>(begin);
      for (const Group& group : groups) {
        done += group.done();
        is_given_up = is_given_up || group.is_given_up();
      }
      furthest = std::max(furthest, std::min(done / static_cast<double>(group_count), 1.0));
      if (progress && progress("solving", furthest)) return Error(kStopped);
    }
    for (const Group& group : groups) {
      group.copy(w);
      group.report(facts);
    }
    if (is_given_up) break;
  }
  facts->seconds = watch.lap();
  return {};
}

}  // namespace lissom
