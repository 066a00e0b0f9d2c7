// SPDX-License-Identifier: MIT
#include "core/linear_algebra/admm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/linear_algebra/cholesky_kernels.h"
#include "core/parallel/thread_pool.h"
#include "core/stopwatch.h"

namespace lissom {
namespace {

constexpr std::size_t kLanes = kSolveLanes;
using PerLane = std::array<double, kLanes>;

// Over-relaxation: between 1.5 and 1.8 in the literature; fewest iterations on our meshes.
constexpr double kRelaxation = 1.7;

// Steps towards the minimum without bounds, whose clipped result is the start.
constexpr int kStartSteps = 2;

// The ratio of the relative residuals, primal to dual, at which errors fell fastest on bars and characters: rho a
// little high, since the last nodes to converge are near handles. Where it is off by more than the factor kUnbalanced,
// rho changes, at most kFactorisationLimit - 1 times.
constexpr double kBalance = 0.05;
constexpr double kUnbalanced = 5;
constexpr int kFactorisationLimit = 4;
// Iterations from one check of rho to the next; the first kSettling of them are transient and do not count.
constexpr int kCheckEvery = 28;
constexpr int kSettling = 12;

// Every kEstimateEvery iterations the error of each handle is estimated from the change d of its weights since the last
// estimate and the factor r by which that has fallen: the rest of a geometric series is d r / (1 - r). Residuals alone
// do not bound it: in thin rods and plates, where z converges slowly, the error was up to 50 times theirs.
constexpr int kEstimateEvery = 10;
// r is the geometric mean of so many estimates, as d fluctuates while bounds become active one by one.
constexpr std::size_t kEstimates = 3;
// The largest r that is used: fluctuations above it would make the estimate diverge.
constexpr double kSlowest = 0.95;
// Against exact solutions of bars, cubes, rods and plates the error was up to 1.6 times that rest.
constexpr double kErrorPerTail = 2;

// Eight handles, interleaved, in the order of elimination, and sums over the last iteration.
struct Group {
  std::vector<double> b, x, z, u;
  std::vector<double> estimated;            // z at the last estimate
  PerLane primal, change, lowest, highest;  // largest |x - z|, |dz|; of x
  double x_z = 0, dz = 0, zz = 0, uu = 0;   // squared norms by the metric
};

class Iteration {
 public:
  Iteration(const BoxProblem& problem, const CholeskyFactor& factor)
      : factor_(factor), handle_count_(problem.handle_count) {
    const auto order = factor.order();
    for (const std::int32_t row : order) {
      metric_.push_back(problem.metric[row]);
    }
    groups_.resize((handle_count_ + kLanes - 1) / kLanes);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      group.b.assign(order.size() * kLanes, 0);
      group.x = group.z = group.u = group.estimated = group.b;
      const std::size_t first = g * kLanes, lanes = std::min(kLanes, handle_count_ - first);
      for (std::size_t k = 0; k < order.size(); ++k) {
        std::copy_n(&problem.b[static_cast<std::size_t>(order[k]) * handle_count_ + first], lanes,
                    &group.b[k * kLanes]);
      }
    }
  }

  // z = clip(steps towards the minimum without bounds).
  void start(double rho) {
    each([&](Group& group) {
      for (int step = 0; step < kStartSteps; ++step) {
        for (std::size_t i = 0; i < group.z.size(); ++i)
          group.z[i] = group.b[i] + rho * metric_[i / kLanes] * group.z[i];
        factor_.solve(group.z.data());
      }
      for (double& value : group.z) value = std::clamp(value, 0.0, 1.0);
    });
  }

  void step(double rho) {
    each([&](Group& group) {
      for (std::size_t i = 0; i < group.x.size(); ++i) {
        group.x[i] = group.b[i] + rho * metric_[i / kLanes] * (group.z[i] - group.u[i]);
      }
      factor_.solve(group.x.data());
      project(group);
    });
  }

  // Largest |z - z at the last estimate| of each handle; the next one is from here.
  void measure_change(std::vector<double>* moved) {
    moved->assign(handle_count_, 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      PerLane most{};
      for (std::size_t i = 0; i < group.z.size(); ++i) {
        most[i % kLanes] = std::max(most[i % kLanes], std::abs(group.z[i] - group.estimated[i]));
        group.estimated[i] = group.z[i];
      }
      for (std::size_t h = g * kLanes; h < std::min(handle_count_, (g + 1) * kLanes); ++h)
        (*moved)[h] = most[h % kLanes];
    }
  }

  void scale_multipliers(double factor) {
    for (Group& group : groups_) {
      for (double& value : group.u) value *= factor;
    }
  }

  template <class Function>
  void each_lane(const Function& function) {
    for (std::size_t h = 0; h < handle_count_; ++h) function(groups_[h / kLanes], h % kLanes);
  }

  std::span<const Group> groups() const { return groups_; }

  void copy_z(std::vector<double>* z) const {
    const auto order = factor_.order();
    z->resize(order.size() * handle_count_);
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (std::size_t h = 0; h < handle_count_; ++h) {
        (*z)[static_cast<std::size_t>(order[k]) * handle_count_ + h] =
            groups_[h / kLanes].z[k * kLanes + h % kLanes];
      }
    }
  }

 private:
  // A group costs as much as its solve; it is one item, so results do not depend on threads.
  template <class Function>
  void each(const Function& function) {
    const double nanoseconds = 4 * static_cast<double>(factor_.entry_count());
    parallel_for(groups_.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) function(groups_[g]);
    });
  }

  // z = clip(relaxed x + u), u += relaxed x - z.
  void project(Group& group) const {
    group.primal = group.change = group.lowest = group.highest = {};
    group.x_z = group.dz = group.zz = group.uu = 0;
    for (std::size_t k = 0; k < metric_.size(); ++k) {
      double x_z = 0, dz = 0, zz = 0, uu = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = k * kLanes + lane;
        const double x = group.x[i], before = group.z[i];
        const double v = kRelaxation * x + (1 - kRelaxation) * before + group.u[i];
        const double z = std::min(std::max(v, 0.0), 1.0);
        const double change = z - before, gap = x - z, u = v - z;
        group.z[i] = z;
        group.u[i] = u;
        group.primal[lane] = std::max(group.primal[lane], std::abs(gap));
        group.change[lane] = std::max(group.change[lane], std::abs(change));
        group.lowest[lane] = std::min(group.lowest[lane], x);
        group.highest[lane] = std::max(group.highest[lane], x);
        x_z += gap * gap;
        dz += change * change;
        zz += z * z;
        uu += u * u;
      }
      group.x_z += metric_[k] * x_z;
      group.dz += metric_[k] * dz;
      group.zz += metric_[k] * zz;
      group.uu += metric_[k] * uu;
    }
  }

  const CholeskyFactor& factor_;
  std::size_t handle_count_;
  std::vector<double> metric_;
  std::vector<Group> groups_;
};

// Relative residuals by the metric, over all handles.
struct Residuals {
  double primal = 0, dual = 0;

  static Residuals of(std::span<const Group> groups) {
    double x_z = 0, dz = 0, zz = 0, uu = 0;
    for (const Group& group : groups) x_z += group.x_z, dz += group.dz, zz += group.zz, uu += group.uu;
    // Where no bound is active u is zero: x is the solution.
    return {zz > 0 ? std::sqrt(x_z / zz) : 0, uu > 0 ? std::sqrt(dz / uu) : 0};
  }
};

// The estimated distance of z from the solution; 1 before there are enough changes.
class ErrorEstimate {
 public:
  double operator()(Iteration& iteration) {
    if (++iterations_ % kEstimateEvery != 0) return estimate_;
    std::rotate(moved_.begin(), moved_.begin() + 1, moved_.end());
    iteration.measure_change(&moved_.back());
    if (iterations_ <= kEstimates * kEstimateEvery) return estimate_;
    estimate_ = 0;
    std::size_t h = 0;
    iteration.each_lane([&](const Group& group, std::size_t lane) {
      const double first = moved_.front()[h], before = moved_[kEstimates - 1][h], last = moved_.back()[h];
      ++h;
      const double r = first > 0 ? std::min(std::cbrt(last / first), kSlowest) : last > 0 ? kSlowest : 0;
      const double left = std::max(last, r * before) * r / (1 - r);
      estimate_ = std::max({estimate_, kErrorPerTail * left, group.primal[lane]});
    });
    return estimate_;
  }

 private:
  std::size_t iterations_ = 0;
  double estimate_ = 1;
  std::array<std::vector<double>, kEstimates + 1> moved_;  // (changes, H), the latest last
};
static_assert(kEstimates == 3);  // the root in r

// Sums of squares since the last check.
struct Balance {
  double primal = 0, dual = 0;

  void add(const Residuals& relative) {
    primal += relative.primal * relative.primal;
    dual += relative.dual * relative.dual;
  }

  // Above 1 where rho must grow.
  double ratio() const { return primal > 0 && dual > 0 ? std::sqrt(primal / dual) / kBalance : 1; }
};

}  // namespace

Error Admm::run(CholeskyFactor* factor, std::vector<double>* z, AdmmFacts* facts) const {
  Stopwatch watch;
  if (Error error = factor->analyse(problem->q, {}, "ordering", progress)) return error;
  facts->seconds_ordering = watch.lap();
  if (Error error = factor->check_memory(memory_limit, bytes_needed)) return error;
  double current_rho = rho;
  const auto factorise = [&]() -> Error {
    watch.lap();
    Error error = factor->factorise(problem->q, current_rho, problem->metric, "factorising", progress);
    facts->seconds_factorising += watch.lap();
    ++facts->factorisations;
    return error;
  };
  if (Error error = factorise()) return error;

  Iteration iteration(*problem, *factor);
  ErrorEstimate estimate;
  Balance balance;
  int last_check = 0;
  double first_estimate = 0, furthest = 0;
  iteration.start(current_rho);
  while (facts->iterations < iteration_limit) {
    iteration.step(current_rho);
    ++facts->iterations;
    const Residuals relative = Residuals::of(iteration.groups());
    facts->error_estimate = estimate(iteration);
    if (facts->error_estimate < tolerance) break;
    if (first_estimate == 0 && facts->error_estimate < 1) first_estimate = facts->error_estimate;
    const double done =
        first_estimate > 0 && first_estimate > tolerance
            ? std::log(first_estimate / facts->error_estimate) / std::log(first_estimate / tolerance)
            : 0;
    furthest = std::max(furthest, std::min(done, 1.0));  // the estimate may grow again
    if (progress && progress("iterating", furthest)) return Error(kStopped);
    if (facts->iterations - last_check > kSettling) balance.add(relative);
    if (facts->iterations - last_check < kCheckEvery) continue;
    const double ratio = balance.ratio();
    balance = {};
    last_check = facts->iterations;
    if ((ratio > kUnbalanced || ratio * kUnbalanced < 1) && facts->factorisations < kFactorisationLimit) {
      const double change = std::sqrt(ratio);
      current_rho *= change;
      iteration.scale_multipliers(1 / change);
      facts->seconds_iterating += watch.lap();
      if (Error error = factorise()) return error;
    }
  }
  facts->lowest = 1, facts->highest = 0;
  iteration.each_lane([&](Group& group, std::size_t lane) {
    facts->primal_residual = std::max(facts->primal_residual, group.primal[lane]);
    facts->change = std::max(facts->change, group.change[lane]);
    facts->lowest = std::min(facts->lowest, group.lowest[lane]);
    facts->highest = std::max(facts->highest, group.highest[lane]);
  });
  facts->rho = current_rho;
  iteration.copy_z(z);
  facts->seconds_iterating += watch.lap();
  return {};
}

}  // namespace lissom
