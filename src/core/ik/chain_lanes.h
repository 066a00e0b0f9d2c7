// SPDX-License-Identifier: MIT
#pragma once

// As many poses as a vector has lanes, reduced to what solvers turn: nodes on rigid bones, in the joint space of the base.
// For *_kernels.cpp files only.
//
// There a chain is a chain and nothing else: the base's transform moves the targets instead, whatever its scale, and
// joints that keep their rotation are part of the bone. Scale inside the chain makes bones longer; a mirror there, the
// signs G of the scales above a joint, is moved to its right: with R' = G R G and t' = S t, bones are R' t' again.

#include <cstddef>
#include <cstring>

#include "core/ik/ik_plan.h"
#include "core/ik/limits.h"
#include "core/math/directions.h"
#include "core/math/trs.h"
#include "core/simd/rows.h"

// Stands for the loop of doubles in a table of kernels. Doubles are solved by the narrowest instruction set alone
// (kIsaOfDoubles in ik_job.h), whose results are the same to the bit: copies of every solver for wider vectors would weigh
// more in a wheel than those who ask for doubles gain.
#if LISSOM_WIDTH > 4
#define LISSOM_DOUBLES(...) \
  {                         \
  }
#else
#define LISSOM_DOUBLES(...) {__VA_ARGS__}
#endif

namespace lissom::LISSOM_ISA {
namespace {

// Scales of one joint may differ by this much, relative to the largest, where bones turn below it.
constexpr double kUniform = 1e-4;

template <class T>
struct NodeLanes {
  using L = Lanes<T>;
  Vec3<L> offset;   // of the node, in the frame of its parent node (of the base, where it has none)
  Vec3<L> sign;     // +1 or -1: the mirror above it
  Quat<L> before;   // from the frame of the parent node to that of the joint's parent
  Quat<L> input;    // of the pose: local in the mirror, as are the next two
  Quat<L> local;    // that the solver is at
  Quat<L> best;     // of the best pose that it has seen
  Quat<L> carried;  // correction of the frame before: best conj(input)
  Quat<L> frame;    // of the node, in the base
  Vec3<L> position;
};

template <class T>
struct EffectorLanes {
  using L = Lanes<T>;
  Vec3<L> target;       // in the base
  Quat<L> orientation;  // in the base
  Mask<T> has_orientation;
  L length;  // of its chain, model units
  L residual, best_residual;
};

// The mirrored rotation: about (x, y, z) becomes about (gy gz x, gz gx y, gx gy z). Undoes itself.
template <class L>
LISSOM_INLINE Quat<L> mirrored(const Vec3<L>& sign, const Quat<L>& q) {
  return {sign.y * sign.z * q.x, sign.z * sign.x * q.y, sign.x * sign.y * q.z, q.w};
}

template <class T>
LISSOM_INLINE Trs<Lanes<T>> load_joint(const T* const* poses, std::size_t joint) {
  Lanes<T> n[kTrsScalars];
  load_rows<kTrsScalars>([&](int lane) LISSOM_LAMBDA_INLINE { return poses[lane] + joint * kTrsScalars; }, n);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
}
template <class T>
LISSOM_INLINE Quat<Lanes<T>> load_rotation(const T* const* poses, std::size_t joint) {
  Lanes<T> n[4];
  load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return poses[lane] + joint * kTrsScalars + 3; }, n);
  return {n[0], n[1], n[2], n[3]};
}

template <class T>
LISSOM_INLINE Vec3<Lanes<T>> signs_of(const Vec3<Lanes<T>>& scale) {
  using L = Lanes<T>;
  return {copysign(L(1), scale.x), copysign(L(1), scale.y), copysign(L(1), scale.z)};
}

// The chains of as many items as lanes. `item(lane)` tells which; idle lanes repeat one.
template <class T>
struct ChainLanes {
  using L = Lanes<T>;
  const IkPlan& plan;
  const IkBatch<T>& batch;
  NodeLanes<T>* nodes;
  EffectorLanes<T>* effectors;
  Affine<L> model_from_base;
  Quat<L> base_rotation;  // of the base, mirror moved to the right
  Vec3<L> base_sign;
  L model_scale;  // lengths in the model for those in the base: exact where the base is scaled alike along all axes
  std::size_t items[L::kCount];

  static std::size_t scratch_bytes(const IkPlan& plan) {
    return plan.node_count * sizeof(NodeLanes<T>) + plan.effector_count * sizeof(EffectorLanes<T>);
  }
  LISSOM_INLINE ChainLanes(const IkPlan& p, const IkBatch<T>& b, void* scratch)
      : plan(p), batch(b), nodes(static_cast<NodeLanes<T>*>(scratch)) {
    effectors = reinterpret_cast<EffectorLanes<T>*>(nodes + p.node_count);
  }

  LISSOM_INLINE void point_at(const T* array, std::size_t step, const T** rows) const {
    for (int lane = 0; lane < L::kCount; ++lane) rows[lane] = array + items[lane] * step;
  }

  // Whether the items of the first `count` lanes stand one after another.
  LISSOM_INLINE bool is_run(int count) const {
    std::size_t breaks = 0;
    for (int lane = 1; lane < count; ++lane) breaks |= items[lane] - items[lane - 1] - 1;
    return !breaks;
  }

  // The number that `number_of(lane)` gives for each lane.
  template <class NumberOf>
  static LISSOM_INLINE L gather(const NumberOf& number_of) {
    alignas(64) T numbers[L::kCount];  // through memory: lanes set one by one are slower
    for (int lane = 0; lane < L::kCount; ++lane) numbers[lane] = number_of(lane);
    return load_as<typename L::Vector>(numbers);
  }

  // ---- In. ----

  // Reads poses and targets of `items`; `follows`: start from the correction of the frame before.
  LISSOM_NOINLINE void load(bool follows) {
    const T* poses[L::kCount];
    point_at(batch.poses, batch.pose_step, poses);
    load_base(poses);
    load_nodes(poses);
    load_start(follows);
    load_targets();
  }

  LISSOM_INLINE void load_base(const T* const* poses) {
    model_from_base = Affine<L>::identity();
    base_rotation = Quat<L>::identity();
    base_sign = {L(1), L(1), L(1)};
    model_scale = L(1);
    if (!plan.ancestor_count) return;
    for (std::size_t i = 0; i < plan.ancestor_count; ++i) {
      const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(plan.ancestors[i]));
      model_from_base = i ? model_from_base * affine_from(trs) : affine_from(trs);
      base_rotation = base_rotation * mirrored(base_sign, trs.rotation);
      base_sign = base_sign * signs_of<T>(trs.scale);
    }
    model_scale = sqrt(squared_norm(model_from_base.linear()) * L(T(1.0 / 3)));
  }

  LISSOM_INLINE void load_nodes(const T* const* poses) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      NodeLanes<T>& node = nodes[i];
      // `best` keeps the scale below a node while the nodes are loaded, for those that hang on it.
      Vec3<L> scale = {L(1), L(1), L(1)};
      if (plan_node.parent >= 0) {
        const Quat<L>& kept = nodes[plan_node.parent].best;
        scale = kept.vector();
      }
      node.offset = {L(0), L(0), L(0)};
      node.before = Quat<L>::identity();
      for (std::int32_t k = plan_node.between_begin; k < plan_node.between_end; ++k) {
        const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(plan.between[k]));
        node.offset = node.offset + rotate(node.before, scale * trs.translation);
        node.before = node.before * mirrored(signs_of<T>(scale), trs.rotation);
        scale = scale * trs.scale;
      }
      const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(plan_node.joint));
      const bool is_plain = plan_node.between_begin == plan_node.between_end;
      const Vec3<L> offset = scale * trs.translation;
      node.offset = is_plain ? offset : node.offset + rotate(node.before, offset);
      node.sign = signs_of<T>(scale);
      node.input = mirrored(node.sign, trs.rotation);
      node.best = quat_from(scale * trs.scale, L(0));
    }
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].best = nodes[i].input;
  }

  LISSOM_INLINE void load_start(bool follows) {
    const T* rows[L::kCount];
    if (batch.start) point_at(batch.start, batch.start_step, rows);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      NodeLanes<T>& node = nodes[i];
      node.local = node.input;
      if (!plan.nodes[i].turns) continue;
      if (follows) {
        node.local = normalized(node.carried * node.input);
      } else if (batch.start) {
        node.local =
            mirrored(node.sign, load_rotation<T>(rows, static_cast<std::size_t>(plan.nodes[i].joint)));
      }
      node.local = clamp(i, node.local);
    }
  }

  LISSOM_INLINE void load_targets() {
    const Affine<L> base_from_model = plan.ancestor_count ? inverse(model_from_base) : Affine<L>::identity();
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      EffectorLanes<T>& effector = effectors[e];
      const T* rows[L::kCount];
      point_at(batch.targets, batch.target_step, rows);
      const auto number = [&](std::size_t at) LISSOM_LAMBDA_INLINE {
        return gather([&](int lane) LISSOM_LAMBDA_INLINE { return rows[lane][at]; });
      };
      Vec3<L> target;
      if (plan.effector_count == 1 && batch.target_step == 3 && is_run(L::kCount)) {
        L n[3];
        load_packed<3>(rows[0], n);
        target = {n[0], n[1], n[2]};
      } else {
        target = {number(3 * e), number(3 * e + 1), number(3 * e + 2)};
      }
      Quat<L> orientation = Quat<L>::identity();
      if (batch.orientations) {
        point_at(batch.orientations, batch.orientation_step, rows);
        orientation = {number(4 * e), number(4 * e + 1), number(4 * e + 2), number(4 * e + 3)};
      }
      effector.target = plan.ancestor_count ? transform_point(base_from_model, target) : target;
      effector.has_orientation = L(0) != L(0);
      if (batch.orientations) {
        effector.has_orientation = orientation.w == orientation.w;
        effector.orientation =
            select(effector.has_orientation, mirrored(base_sign, conjugate(base_rotation) * orientation),
                   Quat<L>::identity());
      }
      effector.length = L(0);
      for (std::int32_t node = plan.effectors[e]; node > plan.tops[e]; node = plan.nodes[node].parent) {
        effector.length += any_length(nodes[node].offset);
      }
      effector.length = effector.length * model_scale;
    }
  }

  // ---- Between. ----

  // The rotation nearest to `local` that the limit of node `i` allows.
  LISSOM_INLINE Quat<L> clamp(std::size_t i, const Quat<L>& local) const {
    const IkLimit& limit = plan.nodes[i].limit;
    if (limit.kind == LimitKind::kNone) return local;
    return mirrored(nodes[i].sign, clamped<T>(limit, mirrored(nodes[i].sign, local)));
  }
  // The axis of node `i` in its own frame, as a rotation about it acts in the mirror: sign.x sign.y sign.z times
  // the mirrored vector.
  LISSOM_INLINE Vec3<L> axis_in_mirror(std::size_t i, const Vec3<L>& axis) const {
    const Vec3<L>& g = nodes[i].sign;
    return {g.y * g.z * axis.x, g.z * g.x * axis.y, g.x * g.y * axis.z};
  }

  // The frame of the joint that node `i` hangs on.
  LISSOM_INLINE Quat<L> frame_above(std::size_t i) const {
    const IkNode& node = plan.nodes[i];
    const bool is_plain = node.between_begin == node.between_end;
    if (node.parent < 0) return nodes[i].before;
    return is_plain ? nodes[node.parent].frame : nodes[node.parent].frame * nodes[i].before;
  }

  // The frame and position of node `i`, by its local rotation and what it hangs on.
  LISSOM_INLINE void compose_node(std::size_t i) {
    const std::int32_t parent = plan.nodes[i].parent;
    NodeLanes<T>& node = nodes[i];
    node.position =
        parent < 0 ? node.offset : nodes[parent].position + rotate(nodes[parent].frame, node.offset);
    node.frame = frame_above(i) * node.local;
  }
  // Those of all nodes from `first` on.
  LISSOM_NOINLINE void compose(std::size_t first = 0) {
    for (std::size_t i = first; i < plan.node_count; ++i) compose_node(i);
  }

  // How far each effector is from its target, model units: `residual` of the effectors; infinite where numbers end.
  LISSOM_NOINLINE void measure() {
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const Vec3<L> way = effectors[e].target - nodes[plan.effectors[e]].position;
      const L away = any_length(plan.ancestor_count ? transform_vector(model_from_base, way) : way);
      effectors[e].residual = select(away == away, away, lanes_of<T>(__builtin_huge_val()));
    }
  }
  // Whether all effectors are within tolerance.
  LISSOM_INLINE Mask<T> are_reached() const {
    Mask<T> all = is_reached(0);
    for (std::size_t e = 1; e < plan.effector_count; ++e) all = all & is_reached(e);
    return all;
  }
  LISSOM_INLINE Mask<T> is_reached(std::size_t e) const {
    return effectors[e].residual <= L(batch.tolerance) * effectors[e].length;
  }
  // What a pose is judged by: the sum of squares of residuals.
  LISSOM_INLINE L error() const {
    L sum = effectors[0].residual * effectors[0].residual;
    for (std::size_t e = 1; e < plan.effector_count; ++e)
      sum += effectors[e].residual * effectors[e].residual;
    return sum;
  }

  // Turns effectors whose orientation is asked for towards it, as far as limits let them. Frames must be composed.
  LISSOM_NOINLINE void orient_effectors() {
    if (!batch.orientations) return;
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const auto i = static_cast<std::size_t>(plan.effectors[e]);
      if (plan.nodes[i].turns) continue;  // it serves another chain
      const Quat<L> wanted = normalized(conjugate(frame_above(i)) * effectors[e].orientation);
      nodes[i].local = select(effectors[e].has_orientation, clamp(i, wanted), nodes[i].local);
      nodes[i].frame = frame_above(i) * nodes[i].local;
    }
  }

  // ---- Out. ----

  // Writes the results of the first `count` lanes: input and `local` blended by the weights. `is_copied`: copy_poses()
  // has been called for these items.
  LISSOM_NOINLINE void store(const L& iterations, int count, bool is_copied = false) {
    store_poses(count, is_copied);
    measure();
    store_report(iterations, count);
  }

  // The poses alone; nodes are composed as they are written.
  LISSOM_NOINLINE void store_poses(int count, bool is_copied = false) {
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].local = normalized(nodes[i].local);
    keep_input_of_lost();
    store_rotations(count, is_copied);
    compose();
  }
  // As store(), where `local` is unit, frames and positions are those of it, and they are measured.
  LISSOM_INLINE void store_composed(const L& iterations, int count) {
    if (store_rotations(count, false)) {
      compose();
      measure();
    }
    store_report(iterations, count);
  }

  // Input and `local` blended by the weights; whether that changed any `local`.
  LISSOM_INLINE bool store_rotations(int count, bool is_copied) {
    L weight = L(batch.weights[0]);
    if (batch.weight_step) {
      weight = gather([&](int lane)
                          LISSOM_LAMBDA_INLINE { return batch.weights[items[lane] * batch.weight_step]; });
    }
    const Mask<T> is_whole = weight == L(1), is_nothing = weight == L(0);
    const bool is_blended = any(!is_whole);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      NodeLanes<T>& node = nodes[i];
      if (batch.frames > 1) node.carried = node.local * conjugate(node.input);
      if (is_blended) {
        node.local = select(is_whole, node.local,
                            select(is_nothing, node.input, slerp(node.input, node.local, weight)));
      }
    }
    if (!is_copied) copy_poses(count);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      if (!plan.nodes[i].turns && !batch.orientations) continue;
      store_rotation(i, count, is_nothing);
    }
    return is_blended;
  }

  // Where numbers of a lane went beyond what they can hold, its input is the answer. Whether there is such a lane.
  LISSOM_INLINE bool keep_input_of_lost() {
    Mask<T> is_lost = L(0) != L(0);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      is_lost = is_lost | !(dot(nodes[i].local, nodes[i].local) > L(T(0.5)));
    }
    if (__builtin_expect(!any(is_lost), true)) return false;
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      nodes[i].local = select(is_lost, normalized(nodes[i].input), nodes[i].local);
    }
    return true;
  }

  // The input poses of the first `count` lanes become the output, in which no joint is at a limit yet.
  LISSOM_INLINE void copy_poses(int count) const {
    const std::size_t size = plan.joint_count * kTrsScalars;
    const bool is_whole = batch.pose_step == size && is_run(count);
    const int runs = is_whole ? 1 : count;
    const std::size_t length = is_whole ? static_cast<std::size_t>(count) : 1;
    for (int run = 0; run < runs; ++run) {
      std::memcpy(batch.out + items[run] * size, batch.poses + items[run] * batch.pose_step,
                  length * size * sizeof(T));
      std::memset(batch.limited + items[run] * plan.joint_count, 0, length * plan.joint_count);
    }
  }

  // Whether node `i` is solved for: an effector that turns in no chain only where an orientation is asked for.
  LISSOM_INLINE Mask<T> is_solved(std::size_t i) const {
    Mask<T> is_asked = plan.nodes[i].turns ? L(0) == L(0) : L(0) != L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      if (static_cast<std::size_t>(plan.effectors[e]) == i)
        is_asked = is_asked | effectors[e].has_orientation;
    }
    return is_asked;
  }

  LISSOM_INLINE void store_rotation(std::size_t i, int count, Mask<T> is_nothing) {
    const Mask<T> is_mine = is_solved(i);
    const std::size_t size = plan.joint_count * kTrsScalars;
    const auto joint = static_cast<std::size_t>(plan.nodes[i].joint);
    const Quat<L> q = mirrored(nodes[i].sign, nodes[i].local);
    const L n[4] = {q.x, q.y, q.z, q.w};
    const auto row_of = [&](int lane) LISSOM_LAMBDA_INLINE {
      return batch.out + items[lane] * size + joint * kTrsScalars + 3;
    };
    if (count == L::kCount && !any(is_nothing | !is_mine)) {
      store_rows<4>(row_of, n);
    } else {
      alignas(64) T rows[4 * L::kCount];
      store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return rows + 4 * lane; }, n);
      for (int lane = 0; lane < count; ++lane) {
        if (is_nothing.bits[lane] || !is_mine.bits[lane]) continue;  // the input, to the bit
        std::memcpy(row_of(lane), rows + 4 * lane, 4 * sizeof(T));
      }
    }
    if (plan.nodes[i].limit.kind == LimitKind::kNone) return;
    const Mask<T> is_at = room<T>(plan.nodes[i].limit, q) < lanes_of<T>(kAtLimit);
    for (int lane = 0; lane < count; ++lane) {
      batch.limited[items[lane] * plan.joint_count + joint] = is_at.bits[lane] && is_mine.bits[lane];
    }
  }

  LISSOM_INLINE void store_report(const L& iterations, int count) const {
    const std::size_t chains = plan.effector_count;
    for (std::size_t e = 0; e < chains; ++e) {
      const EffectorLanes<T>& effector = effectors[e];
      Mask<T> reached = is_reached(e);
      L angle = L(0);
      if (batch.orientations) {
        const Quat<L> rest = conjugate(nodes[plan.effectors[e]].frame) * effector.orientation;
        angle = select(effector.has_orientation, 2 * atan2(length(rest.vector()), abs(rest.w)), L(0));
        reached = reached & (angle <= L(batch.angle_tolerance));
      }
      for (int lane = 0; lane < count; ++lane) {
        const std::size_t at = items[lane] * chains + e;
        batch.residuals[at] = effector.residual.v[lane];
        batch.reached[at] = reached.bits[lane] != 0;
        if (batch.angles) batch.angles[at] = angle.v[lane];
      }
    }
    for (int lane = 0; lane < count; ++lane) {
      batch.iterations[items[lane]] = static_cast<std::int32_t>(iterations.v[lane]);
    }
  }
};

// Calls solve(chains) -> iterations for all items of [begin, end), as many at a time as lanes. Where frames follow each
// other, lanes hold sequences and `begin` and `end` are multiples of batch.frames.
// measure(chains) says at last how far effectors are from what was asked: their `residual`.
template <class T, class Solve, class Measure>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve,
                                  const Measure& measure) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  ChainLanes<T> chains(plan, batch, scratch);
  const std::size_t frames = batch.frames;
  for (std::size_t first = begin / frames; first < end / frames; first += kLanes) {
    const std::size_t rest = end / frames - first, count = rest < kLanes ? rest : kLanes;
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        chains.items[lane] = (first + (lane < count ? lane : count - 1)) * frames + frame;
      }
      chains.load(frame > 0);
      const Lanes<T> iterations = solve(chains);
      chains.store_poses(static_cast<int>(count));
      measure(chains);
      chains.store_report(iterations, static_cast<int>(count));
    }
  }
}
template <class T, class Solve>
LISSOM_INLINE void for_each_group(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                  std::size_t end, void* scratch, const Solve& solve) {
  for_each_group<T>(plan, batch, begin, end, scratch, solve,
                    [](ChainLanes<T>& chains) LISSOM_LAMBDA_INLINE { chains.measure(); });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
