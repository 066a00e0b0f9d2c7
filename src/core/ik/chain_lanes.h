// SPDX-License-Identifier: MIT
#pragma once

// As many poses as a vector has lanes, reduced to the joints that solvers rotate: nodes on rigid bones, in the joint
// space of the base, the deepest joint above all chains. For *_kernels.cpp files only.
//
// Spaces: `_base`, `_model`, `_joint` (a node's own), `_parent` (of the node's parent joint), `_parent_node` (of the
// node above). The transform of the base, whatever its scale, is applied to the targets instead; joints that keep their
// rotation are part of the bone. Scale inside the chain makes bones longer; a mirror there, the signs G of the scales
// above a joint, is moved to its right: with R' = G R G and t' = S t, bones are R' t' again.

#include <cstddef>
#include <cstring>

#include "core/ik/ik_plan.h"
#include "core/ik/limits.h"
#include "core/ik/node_lanes.h"
#include "core/math/directions.h"

namespace lissom::LISSOM_ISA {
namespace {

// The chains of as many items as lanes: lane k holds items[k]. Idle lanes repeat an item.
template <class T>
struct ChainLanes {
  using L = Lanes<T>;
  const IkPlan& plan;
  const IkBatch<T>& batch;
  NodeLanes<T>* nodes;
  EffectorLanes<T>* effectors;
  Affine<L> model_from_base;
  Quat<L> model_from_base_rotation;  // the mirror moved to its right
  Vec3<L> base_mirror;
  L model_scale;  // a length in the model for one in the base: exact where the base is scaled uniformly
  std::size_t items[L::kCount];
  bool is_unscaled = false;  // whether all scales of the nodes, and so their mirrors, are ones

  static std::size_t scratch_bytes(const IkPlan& plan) {
    return plan.node_count * sizeof(NodeLanes<T>) + plan.effector_count * sizeof(EffectorLanes<T>);
  }
  LISSOM_INLINE ChainLanes(const IkPlan& p, const IkBatch<T>& b, void* scratch)
      : plan(p), batch(b), nodes(static_cast<NodeLanes<T>*>(scratch)) {
    effectors = reinterpret_cast<EffectorLanes<T>*>(nodes + p.node_count);
    for (std::size_t i = 0; i < p.node_count; ++i) {
      has_limits_ |= p.nodes[i].rotates && p.nodes[i].limit.kind != LimitKind::kNone;
      // Where joints lie between, it is loaded.
      nodes[i].parent_node_from_parent = Quat<L>::identity();
    }
  }

  LISSOM_INLINE void point_at(const T* array, std::size_t step, const T** rows) const {
    for (int lane = 0; lane < L::kCount; ++lane) rows[lane] = array + items[lane] * step;
  }

  // Whether the items of the first `count` lanes are consecutive.
  LISSOM_INLINE bool is_run(int count) const {
    std::size_t breaks = 0;
    for (int lane = 1; lane < count; ++lane) breaks |= items[lane] - items[lane - 1] - 1;
    return !breaks;
  }

  // number_of(lane) of each lane.
  template <class NumberOf>
  static LISSOM_INLINE L gather(const NumberOf& number_of) {
    alignas(64) T numbers[L::kCount];  // through memory: lanes set one by one are slower
    for (int lane = 0; lane < L::kCount; ++lane) numbers[lane] = number_of(lane);
    return load_as<typename L::Vector>(numbers);
  }

  // ---- Input. ----

  // Reads poses and targets of `items`; `follows`: start from the correction of the previous frame in time.
  LISSOM_NOINLINE void load(bool follows) {
    const T* poses[L::kCount];
    point_at(batch.poses, batch.pose_step, poses);
    load_base(poses);
    if (batch.is_unscaled) {
      load_nodes<true>(poses);
    } else {
      load_nodes<false>(poses);
    }
    if (follows || batch.start || has_limits_) load_start(follows);
    load_targets();
  }

  LISSOM_INLINE void load_base(const T* const* poses) {
    model_from_base = Affine<L>::identity();
    model_from_base_rotation = Quat<L>::identity();
    base_mirror = {L(1), L(1), L(1)};
    model_scale = L(1);
    if (!plan.ancestor_count) return;
    for (std::size_t i = 0; i < plan.ancestor_count; ++i) {
      const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(plan.ancestors[i]));
      model_from_base = i ? model_from_base * affine_from(trs) : affine_from(trs);
      model_from_base_rotation = model_from_base_rotation * mirrored(base_mirror, trs.rotation);
      base_mirror = base_mirror * mirror_of<T>(trs.scale);
    }
    model_scale = sqrt(squared_norm(model_from_base.linear()) * L(T(1.0 / 3)));
  }

  // Most chains have no scales: then mirrors and scales are written once, not for each group. What is loaded and stored
  // takes longer than what is computed. `kIsRigid`: no pose of the batch has any.
  template <bool kIsRigid>
  LISSOM_INLINE void load_nodes(const T* const* poses) {
    const auto load = [&](std::size_t joint) LISSOM_LAMBDA_INLINE {
      return kIsRigid ? load_rigid_joint<T>(poses, joint) : load_joint<T>(poses, joint);
    };
    Vec3<L> scale_below = {L(1), L(1), L(1)};  // of the node before, for the joints below it
    bool is_all_ones = true;                   // the scales so far
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      NodeLanes<T>& node = nodes[i];
      const bool is_next =
          plan_node.parent == static_cast<std::int32_t>(i) - 1;  // on the one before, or the first
      Vec3<L> scale = {L(1), L(1), L(1)};
      if (is_next) {
        scale = scale_below;
      } else if (plan_node.parent >= 0) {
        scale = nodes[plan_node.parent].scale_below;
      }
      const auto joint = static_cast<std::size_t>(plan_node.joint);
      if (plan_node.between_begin == plan_node.between_end) {
        const Trs<L> trs = load(joint);
        is_all_ones = is_all_ones && (kIsRigid || is_one(trs.scale));
        if (is_all_ones) {
          node.offset_parent_node = trs.translation;
          node.input = node.local = trs.rotation;
          if (!is_unscaled) node.mirror = node.scale_below = {L(1), L(1), L(1)};
          continue;
        }
        node.offset_parent_node = scale * trs.translation;
        take_joint(node, trs, scale);
      } else {
        Vec3<L> offset_parent_node = {L(0), L(0), L(0)};
        Quat<L> parent_node_from_parent = Quat<L>::identity();
        for (std::int32_t k = plan_node.between_begin; k < plan_node.between_end; ++k) {
          const Trs<L> trs = load(static_cast<std::size_t>(plan.between[k]));
          offset_parent_node = offset_parent_node + rotate(parent_node_from_parent, scale * trs.translation);
          parent_node_from_parent = parent_node_from_parent * mirrored(mirror_of<T>(scale), trs.rotation);
          scale = scale * trs.scale;
          is_all_ones = is_all_ones && (kIsRigid || is_one(trs.scale));
        }
        const Trs<L> trs = load(joint);
        is_all_ones = is_all_ones && (kIsRigid || is_one(trs.scale));
        node.offset_parent_node =
            offset_parent_node + rotate(parent_node_from_parent, scale * trs.translation);
        node.parent_node_from_parent = parent_node_from_parent;
        take_joint(node, trs, scale);
      }
      scale_below = node.scale_below;
    }
    is_unscaled = is_all_ones;
  }
  static LISSOM_INLINE bool is_one(const Vec3<L>& scale) {
    const auto one = bits(L(1));
    return !any(Mask<T>{((bits(scale.x) ^ one) | (bits(scale.y) ^ one) | (bits(scale.z) ^ one)) != 0});
  }
  // What a node keeps of its joint, under joints of the scale `scale`.
  static LISSOM_INLINE void take_joint(NodeLanes<T>& node, const Trs<L>& trs, const Vec3<L>& scale) {
    node.mirror = mirror_of<T>(scale);
    node.input = node.local = mirrored(node.mirror, trs.rotation);
    node.scale_below = scale * trs.scale;
  }
  // Before solvers that change `best` in some lanes.
  LISSOM_INLINE void begin_best() {
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].best = nodes[i].input;
  }

  // Sets `local` to the rotations that solvers start from.
  LISSOM_INLINE void load_start(bool follows) {
    const T* rows[L::kCount];
    if (batch.start) point_at(batch.start, batch.start_step, rows);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      NodeLanes<T>& node = nodes[i];
      node.local = node.input;
      if (!plan.nodes[i].rotates) continue;
      if (follows) {
        node.local = normalized(node.carried * node.input);
      } else if (batch.start) {
        node.local =
            mirrored(node.mirror, load_rotation<T>(rows, static_cast<std::size_t>(plan.nodes[i].joint)));
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
      Vec3<L> target_model;
      if (plan.effector_count == 1 && batch.target_step == 3 && is_run(L::kCount)) {
        L n[3];
        load_packed<3>(rows[0], n);
        target_model = {n[0], n[1], n[2]};
      } else {
        target_model = {number(3 * e), number(3 * e + 1), number(3 * e + 2)};
      }
      Quat<L> orientation_model = Quat<L>::identity();
      if (batch.orientations) {
        point_at(batch.orientations, batch.orientation_step, rows);
        orientation_model = {number(4 * e), number(4 * e + 1), number(4 * e + 2), number(4 * e + 3)};
      }
      effector.target_base =
          plan.ancestor_count ? transform_point(base_from_model, target_model) : target_model;
      effector.has_orientation = L(0) != L(0);
      if (batch.orientations) {
        effector.has_orientation = orientation_model.w == orientation_model.w;  // none: NaN
        effector.orientation_base =
            select(effector.has_orientation,
                   mirrored(base_mirror, conjugate(model_from_base_rotation) * orientation_model),
                   Quat<L>::identity());
      }
      effector.chain_length = L(0);
      for (std::int32_t node = plan.effectors[e]; node > plan.tops[e]; node = plan.nodes[node].parent) {
        nodes[node].bone_length = any_length(nodes[node].offset_parent_node);
        effector.chain_length += nodes[node].bone_length;
      }
      effector.chain_length = effector.chain_length * model_scale;
    }
  }

  // ---- Forward kinematics. ----

  // The local rotation nearest to `local` that the limit of node `i` allows.
  LISSOM_INLINE Quat<L> clamp(std::size_t i, const Quat<L>& local) const {
    const IkLimit& limit = plan.nodes[i].limit;
    if (limit.kind == LimitKind::kNone) return local;
    return mirrored(nodes[i].mirror, clamped<T>(limit, mirrored(nodes[i].mirror, local)));
  }
  // The axis about which a rotation about `axis` acts once the mirror above node `i` is moved to its right: det G times
  // the mirrored vector.
  LISSOM_INLINE Vec3<L> axis_in_mirror(std::size_t i, const Vec3<L>& axis) const {
    const Vec3<L>& g = nodes[i].mirror;
    return {g.y * g.z * axis.x, g.z * g.x * axis.y, g.x * g.y * axis.z};
  }

  // Whether node `i` hangs on the node above, or on the base, itself: there is no rotation between.
  LISSOM_INLINE bool is_plain(std::size_t i) const {
    return plan.nodes[i].between_begin == plan.nodes[i].between_end;
  }
  // Of the parent joint of node `i`, which has a node above, by that of the node above.
  LISSOM_INLINE Quat<L> base_from(const Quat<L>& base_from_parent_node, std::size_t i) const {
    return is_plain(i) ? base_from_parent_node : base_from_parent_node * nodes[i].parent_node_from_parent;
  }
  // Of the parent joint of node `i`.
  LISSOM_INLINE Quat<L> base_from_parent(std::size_t i) const {
    const std::int32_t parent = plan.nodes[i].parent;
    return parent < 0 ? nodes[i].parent_node_from_parent : base_from(nodes[parent].base_from_joint, i);
  }

  // The position of node `i`, by its parent.
  LISSOM_INLINE void place_node(std::size_t i) {
    const std::int32_t parent = plan.nodes[i].parent;
    NodeLanes<T>& node = nodes[i];
    node.position_base = parent < 0 ? node.offset_parent_node
                                    : nodes[parent].position_base +
                                          rotate(nodes[parent].base_from_joint, node.offset_parent_node);
  }
  // Its rotation, too, by its local one.
  LISSOM_INLINE void compose_node(std::size_t i) {
    const std::int32_t parent = plan.nodes[i].parent;
    NodeLanes<T>& node = nodes[i];
    place_node(i);
    node.base_from_joint = parent < 0 && is_plain(i) ? node.local : base_from_parent(i) * node.local;
  }
  // The same of all nodes from `first` on.
  LISSOM_NOINLINE void compose(std::size_t first = 0) {
    for (std::size_t i = first; i < plan.node_count; ++i) compose_node(i);
  }
  // What the report needs: no rotations of nodes without others below, unless orientations are asked for.
  LISSOM_INLINE void compose_for_report() {
    if (batch.orientations) return compose();
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      if (plan.nodes[i].is_inside) {
        compose_node(i);
      } else {
        place_node(i);
      }
    }
  }

  // Fills `residual` of the effectors; infinite where numbers overflow.
  LISSOM_NOINLINE void measure() {
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const Vec3<L> error_base = effectors[e].target_base - nodes[plan.effectors[e]].position_base;
      const L distance =
          any_length(plan.ancestor_count ? transform_vector(model_from_base, error_base) : error_base);
      effectors[e].residual = select(distance == distance, distance, lanes_of<T>(__builtin_huge_val()));
    }
  }
  // Whether all effectors are within tolerance.
  LISSOM_INLINE Mask<T> are_reached() const {
    Mask<T> all = is_reached(0);
    for (std::size_t e = 1; e < plan.effector_count; ++e) all = all & is_reached(e);
    return all;
  }
  LISSOM_INLINE Mask<T> is_reached(std::size_t e) const {
    return effectors[e].residual <= L(batch.tolerance) * effectors[e].chain_length;
  }
  // The sum of the squared residuals.
  LISSOM_INLINE L error() const {
    L sum = effectors[0].residual * effectors[0].residual;
    for (std::size_t e = 1; e < plan.effector_count; ++e)
      sum += effectors[e].residual * effectors[e].residual;
    return sum;
  }

  // Rotates effectors to the orientations that are asked for, as far as limits allow. Nodes must be composed.
  LISSOM_NOINLINE void orient_effectors() {
    if (!batch.orientations) return;
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const auto i = static_cast<std::size_t>(plan.effectors[e]);
      if (plan.nodes[i].rotates) continue;  // it serves another chain
      const Quat<L> local = normalized(conjugate(base_from_parent(i)) * effectors[e].orientation_base);
      nodes[i].local = select(effectors[e].has_orientation, clamp(i, local), nodes[i].local);
      nodes[i].base_from_joint = base_from_parent(i) * nodes[i].local;
    }
  }

  // ---- Output. ----

  // Writes the poses of the first `count` lanes: input and `local` blended by the weights. Composes nodes as they are
  // written. copy_poses() must have been called for these items.
  LISSOM_NOINLINE void store_poses(int count) {
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].local = normalized(nodes[i].local);
    keep_input_of_lost();
    store_rotations(count);
    compose();
  }
  // The same with the report, where `local` is unit of all nodes that the solver rotates.
  LISSOM_INLINE void store_unit(const L& iterations, int count) {
    keep_input_of_lost();
    store_rotations(count);
    compose_for_report();
    measure();
    store_report(iterations, count);
  }
  // The same, where nodes are composed and measured.
  LISSOM_INLINE void store_composed(const L& iterations, int count) {
    if (store_rotations(count)) {
      compose();
      measure();
    }
    store_report(iterations, count);
  }

  // Input and `local` blended by the weights; whether that changed any `local`.
  LISSOM_INLINE bool store_rotations(int count) {
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
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      if (!plan.nodes[i].rotates && !batch.orientations) continue;
      store_rotation(i, count, is_nothing);
    }
    return is_blended;
  }

  // Where numbers of a lane overflowed, its input is the answer. Returns whether there is such a lane.
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

  // The input poses of the first `count` lanes become the output, in which no joint is at a limit yet. Before load(): a
  // copy reads memory in order, which is how it comes fastest.
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

  // Whether node `i` is solved for: an effector that is in the middle of no chain only where an orientation is asked
  // for.
  LISSOM_INLINE Mask<T> is_solved(std::size_t i) const {
    Mask<T> is_asked = plan.nodes[i].rotates ? L(0) == L(0) : L(0) != L(0);
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
    const Quat<L> q = is_unscaled ? nodes[i].local : mirrored(nodes[i].mirror, nodes[i].local);
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
    const Mask<T> is_at = distance_to_limit<T>(plan.nodes[i].limit, q) < lanes_of<T>(kAtLimit);
    for (int lane = 0; lane < count; ++lane) {
      batch.limited[items[lane] * plan.joint_count + joint] = is_at.bits[lane] && is_mine.bits[lane];
    }
  }

  LISSOM_INLINE void store_report(const L& iterations, int count) const {
    const std::size_t chains = plan.effector_count;
    const bool is_packed = count == L::kCount && is_run(count);
    for (std::size_t e = 0; e < chains; ++e) {
      const EffectorLanes<T>& effector = effectors[e];
      Mask<T> reached = is_reached(e);
      L angle = L(0);
      if (batch.orientations) {
        const Quat<L> error = conjugate(nodes[plan.effectors[e]].base_from_joint) * effector.orientation_base;
        angle = select(effector.has_orientation, 2 * atan2(length(error.vector()), abs(error.w)), L(0));
        reached = reached & (angle <= L(batch.angle_tolerance));
      }
      if (is_packed && chains == 1 && !batch.angles) {
        LISSOM_ISA::store(batch.residuals + items[0], effector.residual.v);
        LISSOM_ISA::store(batch.reached + items[0], bytes_of(reached));
        continue;
      }
      for (int lane = 0; lane < count; ++lane) {
        const std::size_t at = items[lane] * chains + e;
        batch.residuals[at] = effector.residual.v[lane];
        batch.reached[at] = reached.bits[lane] != 0;
        if (batch.angles) batch.angles[at] = angle.v[lane];
      }
    }
    if (is_packed) return LISSOM_ISA::store(batch.iterations + items[0], counts_of(iterations));
    for (int lane = 0; lane < count; ++lane) {
      batch.iterations[items[lane]] = static_cast<std::int32_t>(iterations.v[lane]);
    }
  }

 private:
  bool has_limits_ = false;  // of joints that rotate
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
