// SPDX-License-Identifier: MIT
#pragma once

// The Jacobian matrix J of as many chains as lanes, effectors by joint rotations. It is never stored: solvers need J w
// J^T and J^T y. For *_kernels.cpp files only.
//
// Rows: for each effector three for its position, in the base's lengths, and where its orientation counts three for its
// rotation vector, times the length of its chain, so that a radian counts as much as an error of the whole chain's
// length. Columns: joints rotate about up to three axes each, at right angles, in the base; hinges about one. An axis a
// of a joint at p moves an effector at x by a cross (x - p) and rotates it by a.
//
// Source: Buss, "Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and damped least squares
// methods", 2009.

#include "core/ik/base_metric.h"
#include "core/ik/chain_lanes.h"
#include "core/ik/limit_axes.h"
#include "core/ik/symmetric_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// The degrees of freedom of a joint, and its part of a step.
template <class T>
struct FreedomLanes {
  using L = Lanes<T>;
  RotationAxes<T> axes;  // in the base
  L kept[3];             // 1, or 0 where the step must not rotate about this axis
  L share;               // in [0, 1]: 1 - stiffness
  Quat<L> from;          // local rotation that the step starts from
  Vec3<L> pull_base;     // rotation vector towards rest
  Vec3<L> step_base;     // rotation vector
};

template <class T>
struct JacobianLanes {
  using L = Lanes<T>;
  ChainLanes<T>& chains;
  FreedomLanes<T>* freedoms;  // of each node
  L* errors;                  // (rows)
  L* column;                  // (rows), for accumulate()
  L* gram;                    // packed (rows): J w J^T
  std::int32_t* first_rows;   // of each effector
  std::int32_t* axis_counts;  // of each node: 0 where it does not rotate
  std::size_t row_count;
  Mat3<L> metric;     // of the base (base_metric.h)
  Mask<T> is_skewed;  // whether that is more than a rotation

  static std::size_t scratch_bytes(const IkPlan& plan) {
    const std::size_t rows = 6 * plan.effector_count;
    const std::size_t indices = (plan.effector_count + plan.node_count) * sizeof(std::int32_t);
    return plan.node_count * sizeof(FreedomLanes<T>) + (2 * rows + packed_size(rows)) * sizeof(L) +
           (indices + sizeof(L) - 1) / sizeof(L) * sizeof(L);
  }
  LISSOM_INLINE JacobianLanes(ChainLanes<T>& c, void* scratch)
      : chains(c), freedoms(static_cast<FreedomLanes<T>*>(scratch)) {
    const IkPlan& plan = c.plan;
    const std::size_t rows = 6 * plan.effector_count;
    errors = reinterpret_cast<L*>(freedoms + plan.node_count);
    column = errors + rows;
    gram = column + rows;
    first_rows = reinterpret_cast<std::int32_t*>(gram + packed_size(rows));
    axis_counts = first_rows + plan.effector_count;
  }

  // An effector without limit that is in the middle of no chain takes any orientation by itself.
  LISSOM_INLINE bool has_orientation_rows(std::size_t e) const {
    const IkNode& node = chains.plan.nodes[chains.plan.effectors[e]];
    return chains.batch.orientations && (node.rotates || node.limit.kind != LimitKind::kNone);
  }

  // Lays out rows and columns for chains that are loaded; `stiffness` of each joint of the skeleton, or null.
  LISSOM_INLINE void begin(const double* stiffness) {
    const IkPlan& plan = chains.plan;
    for (std::size_t i = 0; i < plan.node_count; ++i) axis_counts[i] = plan.nodes[i].rotates;
    row_count = 0;
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      first_rows[e] = static_cast<std::int32_t>(row_count);
      row_count += has_orientation_rows(e) ? 6 : 3;
      if (has_orientation_rows(e)) axis_counts[plan.effectors[e]] = 1;
    }
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& node = plan.nodes[i];
      const double share = stiffness ? 1 - stiffness[node.joint] : 1;
      const int axes = node.limit.kind == LimitKind::kHinge ? 1 : 3;
      axis_counts[i] = axis_counts[i] && share > 0 ? axes : 0;
      FreedomLanes<T>& freedom = freedoms[i];
      freedom.share = select(chains.is_solved(i), lanes_of<T>(share), L(0));
      freedom.pull_base = {L(0), L(0), L(0)};
    }
    metric = metric_of(chains);
    is_skewed = does_skew<T>(metric);
  }

  // ---- Errors. ----

  // The length that counts as much as a radian of an effector's orientation, base.
  LISSOM_INLINE L radian_length(std::size_t e) const {
    const EffectorLanes<T>& effector = chains.effectors[e];
    return select(effector.has_orientation, effector.chain_length / chains.model_scale, L(0));
  }
  // The rotation vector from the effector's orientation to the one asked for.
  LISSOM_INLINE Vec3<L> orientation_error_base(std::size_t e) const {
    const Quat<L> base_from_joint = chains.nodes[chains.plan.effectors[e]].base_from_joint;
    const Quat<L> whole = chains.effectors[e].orientation_base * conjugate(base_from_joint);
    const Quat<L> q = select(whole.w < L(0), -whole, whole);
    const L sine = length(q.vector());
    const Mask<T> is_small = sine <= L(Limits<T>::kSmallest);
    return select(is_small, L(2), 2 * atan2(sine, q.w) / select(is_small, L(1), sine)) * q.vector();
  }

  // Fills `errors` from composed chains; returns the sum of their squares.
  LISSOM_INLINE L measure() {
    const IkPlan& plan = chains.plan;
    L sum = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      L* row = errors + first_rows[e];
      const Vec3<L> error =
          in_metric(chains.effectors[e].target_base - chains.nodes[plan.effectors[e]].position_base);
      row[0] = error.x, row[1] = error.y, row[2] = error.z;
      sum += dot(error, error);
      if (!has_orientation_rows(e)) continue;
      const Vec3<L> angular = radian_length(e) * orientation_error_base(e);
      row[3] = angular.x, row[4] = angular.y, row[5] = angular.z;
      sum += dot(angular, angular);
    }
    return sum;
  }
  // Whether all effectors are within tolerance, by `errors`.
  LISSOM_INLINE Mask<T> are_reached() const {
    Mask<T> all = L(0) == L(0);
    for (std::size_t e = 0; e < chains.plan.effector_count; ++e) {
      const L* row = errors + first_rows[e];
      const L most = L(chains.batch.tolerance) * chains.effectors[e].chain_length / chains.model_scale;
      all = all & (row[0] * row[0] + row[1] * row[1] + row[2] * row[2] <= most * most);
      if (!has_orientation_rows(e)) continue;
      const L angular = L(chains.batch.angle_tolerance) * radian_length(e);
      all = all & (row[3] * row[3] + row[4] * row[4] + row[5] * row[5] <= angular * angular);
    }
    return all;
  }

  LISSOM_INLINE Vec3<L> in_metric(const Vec3<L>& v_base) const {
    return any(is_skewed) ? select(is_skewed, metric * v_base, v_base) : v_base;
  }
  LISSOM_INLINE Vec3<L> from_metric(const Vec3<L>& y) const {
    return any(is_skewed) ? select(is_skewed, transpose(metric) * y, y) : y;
  }

  // ---- Columns. ----

  // The rotation axes of the current pose, all of them kept.
  LISSOM_INLINE void update_axes() {
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      FreedomLanes<T>& freedom = freedoms[i];
      freedom.from = chains.nodes[i].local;
      for (L& kept : freedom.kept) kept = L(1);
      if (axis_counts[i]) freedom.axes = rotation_axes(chains, i);
    }
  }

  // A rotation vector of node `i` without its parts about axes that the joint does not have or keep.
  LISSOM_INLINE Vec3<L> allowed(std::size_t i, const Vec3<L>& vector_base) const {
    const FreedomLanes<T>& freedom = freedoms[i];
    if (!axis_counts[i]) return {L(0), L(0), L(0)};
    if (chains.plan.nodes[i].limit.kind == LimitKind::kNone) return freedom.share * vector_base;
    Vec3<L> sum = {L(0), L(0), L(0)};
    for (int k = 0; k < axis_counts[i]; ++k) {
      const Vec3<L>& axis = freedom.axes.axis[k];
      sum = sum + (freedom.kept[k] * dot(axis, vector_base)) * axis;
    }
    return freedom.share * sum;
  }

  // w J^T y of node `i`: its rotation vector.
  LISSOM_INLINE Vec3<L> rotation_for(std::size_t i, const L* y) const {
    const IkPlan& plan = chains.plan;
    Vec3<L> sum = {L(0), L(0), L(0)};
    for (std::int32_t k = plan.nodes[i].below_begin; k < plan.nodes[i].below_end; ++k) {
      const auto e = static_cast<std::size_t>(plan.below[k]);
      const L* row = y + first_rows[e];
      const Vec3<L> arm_base = chains.nodes[plan.effectors[e]].position_base - chains.nodes[i].position_base;
      sum = sum + cross(arm_base, from_metric({row[0], row[1], row[2]}));
      if (has_orientation_rows(e)) sum = sum + radian_length(e) * Vec3<L>{row[3], row[4], row[5]};
    }
    return allowed(i, sum);
  }

  // rows - J pull: subtracts what rotations of all nodes by their pull do.
  LISSOM_INLINE void subtract_pull(L* rows) const {
    const IkPlan& plan = chains.plan;
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      if (!axis_counts[i]) continue;
      const Vec3<L>& pull_base = freedoms[i].pull_base;
      for (std::int32_t k = plan.nodes[i].below_begin; k < plan.nodes[i].below_end; ++k) {
        const auto e = static_cast<std::size_t>(plan.below[k]);
        L* row = rows + first_rows[e];
        const Vec3<L> motion = in_metric(
            cross(pull_base, chains.nodes[plan.effectors[e]].position_base - chains.nodes[i].position_base));
        row[0] = row[0] - motion.x, row[1] = row[1] - motion.y, row[2] = row[2] - motion.z;
        if (!has_orientation_rows(e)) continue;
        const Vec3<L> angular = radian_length(e) * pull_base;
        row[3] = row[3] - angular.x, row[4] = row[4] - angular.y, row[5] = row[5] - angular.z;
      }
    }
  }

  // ---- J w J^T. ----

  LISSOM_INLINE void accumulate() {
    if (row_count == 3) {
      accumulate_position();
      return;
    }
    for (std::size_t i = 0; i < packed_size(row_count); ++i) gram[i] = L(0);
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      for (int k = 0; k < axis_counts[i]; ++k) accumulate_axis(i, k);
    }
  }

  // One effector, positions only. Over three axes at right angles, a joint at the arm r adds |r|^2 - r r^T.
  LISSOM_INLINE void accumulate_position() {
    const IkPlan& plan = chains.plan;
    L xx = L(0), yx = L(0), yy = L(0), zx = L(0), zy = L(0), zz = L(0);
    const Vec3<L> effector_base = chains.nodes[plan.effectors[0]].position_base;
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      if (!axis_counts[i]) continue;
      const FreedomLanes<T>& freedom = freedoms[i];
      const Vec3<L> arm = effector_base - chains.nodes[i].position_base;
      if (plan.nodes[i].limit.kind == LimitKind::kNone) {
        const L x = arm.x * arm.x, y = arm.y * arm.y, z = arm.z * arm.z;
        xx += freedom.share * (y + z), yy += freedom.share * (x + z), zz += freedom.share * (x + y);
        const Vec3<L> w = freedom.share * arm;
        yx = yx - w.y * arm.x, zx = zx - w.z * arm.x, zy = zy - w.z * arm.y;
        continue;
      }
      for (int k = 0; k < axis_counts[i]; ++k) {
        const Vec3<L> c = cross(freedom.axes.axis[k], arm);
        const Vec3<L> w = (freedom.share * freedom.kept[k]) * c;
        xx += w.x * c.x, yx += w.y * c.x, yy += w.y * c.y;
        zx += w.z * c.x, zy += w.z * c.y, zz += w.z * c.z;
      }
    }
    if (any(is_skewed)) {
      const Mat3<L> plain = {{{xx, yx, zx}, {yx, yy, zy}, {zx, zy, zz}}};
      const Mat3<L> moved = metric * plain * transpose(metric);
      xx = select(is_skewed, moved.m[0][0], xx), yx = select(is_skewed, moved.m[1][0], yx);
      yy = select(is_skewed, moved.m[1][1], yy), zx = select(is_skewed, moved.m[2][0], zx);
      zy = select(is_skewed, moved.m[2][1], zy), zz = select(is_skewed, moved.m[2][2], zz);
    }
    gram[0] = xx, gram[1] = yx, gram[2] = yy, gram[3] = zx, gram[4] = zy, gram[5] = zz;
  }

  // Adds what axis `k` of node `i` does to the effectors below it.
  LISSOM_INLINE void accumulate_axis(std::size_t i, int k) {
    const IkPlan& plan = chains.plan;
    const FreedomLanes<T>& freedom = freedoms[i];
    const Vec3<L> axis_base = freedom.axes.axis[k];
    const L weight = freedom.share * freedom.kept[k];
    const auto fill = [&](std::size_t e) LISSOM_LAMBDA_INLINE {
      L* row = column + first_rows[e];
      const Vec3<L> arm_base = chains.nodes[plan.effectors[e]].position_base - chains.nodes[i].position_base;
      const Vec3<L> motion = in_metric(cross(axis_base, arm_base));
      row[0] = motion.x, row[1] = motion.y, row[2] = motion.z;
      if (!has_orientation_rows(e)) return;
      const Vec3<L> angular = radian_length(e) * axis_base;
      row[3] = angular.x, row[4] = angular.y, row[5] = angular.z;
    };
    for (std::int32_t a = plan.nodes[i].below_begin; a < plan.nodes[i].below_end; ++a) {
      const auto e = static_cast<std::size_t>(plan.below[a]);
      fill(e);
      const auto begin = static_cast<std::size_t>(first_rows[e]),
                 end = begin + (has_orientation_rows(e) ? 6 : 3);
      for (std::size_t p = begin; p < end; ++p) {
        const L w = weight * column[p];
        for (std::int32_t b = plan.nodes[i].below_begin; b <= a; ++b) {
          const auto f = static_cast<std::size_t>(plan.below[b]);
          const auto from = static_cast<std::size_t>(first_rows[f]),
                     to = from + (has_orientation_rows(f) ? 6 : 3);
          for (std::size_t q = from; q < to && q <= p; ++q) gram[packed(p, q)] += w * column[q];
        }
      }
    }
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
