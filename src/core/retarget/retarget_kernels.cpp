// SPDX-License-Identifier: MIT
#include "core/retarget/retarget_kernels.h"

#include "core/ik/chain_groups.h"
#include "core/ik/joint_lanes.h"
#include "core/math/directions.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr double kUnit = 4e-3;  // how far the squared length of a rotation may be from 1

template <class T>
LISSOM_INLINE Lanes<T> number(double value) {
  return Lanes<T>(static_cast<T>(value));
}
template <class T>
LISSOM_INLINE Vec3<Lanes<T>> vector(const double* v) {
  return {number<T>(v[0]), number<T>(v[1]), number<T>(v[2])};
}
template <class T>
LISSOM_INLINE Quat<Lanes<T>> rotation(const double* q) {
  return {number<T>(q[0]), number<T>(q[1]), number<T>(q[2]), number<T>(q[3])};
}

// As many poses as a vector has lanes.
template <class T>
class Group {
 public:
  using L = Lanes<T>;
  struct Source {
    Quat<L> source_from_joint;
    Vec3<L> mirror;       // signs of the scales of the joint and those above
    Affine<L> to_source;  // with scales
  };
  struct Target {
    Quat<L> model_from_joint;
    Affine<L> to_model;
  };
  static std::size_t scratch_bytes(const RetargetPlan& plan) {
    return plan.source.size() * sizeof(Source) + plan.joint_count() * sizeof(Target) +
           plan.limbs.size() * sizeof(Vec3<L>);
  }

  LISSOM_INLINE Group(const RetargetPlan& plan, const RetargetBatch<T>& batch, const T* rest, void* scratch)
      : plan_(plan), batch_(batch), rest_(rest), sources_(static_cast<Source*>(scratch)) {
    targets_ = reinterpret_cast<Target*>(sources_ + plan.source.size());
    goals_ = reinterpret_cast<Vec3<L>*>(targets_ + plan.joint_count());
  }

  // Poses [first, first + count), count at most the lanes; idle lanes repeat the last.
  LISSOM_INLINE RetargetFault carry(std::size_t first, std::size_t count) {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(L::kCount); ++lane)
      items_[lane] = first + (lane < count ? lane : count - 1);
    const RetargetFault fault = load();
    if (fault.joint >= 0) return fault;
    const std::size_t pose_size = plan_.rest.size();
    for (std::size_t i = first; i < first + count; ++i)
      std::memcpy(batch_.out + i * pose_size, rest_, pose_size * sizeof(T));
    turn();
    lowered_ = L(0);
    if (batch_.goals) find_headings(), lower();
    for (const RetargetPlan::Joint& joint : plan_.joints) compose(joint, lowered_, true);
    if (batch_.goals) store_limbs();
    return {};
  }

 private:
  // ---- The source. ----

  LISSOM_NOINLINE RetargetFault load() {
    const T* poses[L::kCount];
    for (int lane = 0; lane < L::kCount; ++lane)
      poses[lane] = batch_.poses + items_[lane] * plan_.source_joint_count * kTrsScalars;
    const Quat<L> start = rotation<T>(plan_.body.source_from_model);
    const L scale = number<T>(plan_.body.scale);
    const Mat3<L> turned = mat3_from(start);
    const Affine<L> start_affine = affine_from(
        mat3_from_columns(scale * turned.column(0), scale * turned.column(1), scale * turned.column(2)),
        Vec3<L>{L(0), L(0), L(0)});
    for (std::size_t i = 0; i < plan_.source.size(); ++i) {
      const RetargetPlan::SourceJoint& joint = plan_.source[i];
      const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(joint.joint));
      const L excess = abs(dot(trs.rotation, trs.rotation) - L(1));
      const L sum =
          trs.translation.x + trs.translation.y + trs.translation.z + trs.scale.x + trs.scale.y + trs.scale.z;
      const Mask<T> is_fine = (excess <= number<T>(kUnit)) & (sum - sum == L(0));
      if (any(!is_fine)) {
        for (int lane = 0; lane < L::kCount; ++lane)
          if (!is_fine.bits[lane]) return {items_[lane], joint.joint};
      }
      Source& out = sources_[i];
      const Source* parent = joint.parent < 0 ? nullptr : sources_ + joint.parent;
      out.source_from_joint =
          parent ? parent->source_from_joint * mirrored(parent->mirror, trs.rotation) : start * trs.rotation;
      out.mirror = parent ? parent->mirror * mirror_of<T>(trs.scale) : mirror_of<T>(trs.scale);
      if (joint.has_position) out.to_source = (parent ? parent->to_source : start_affine) * affine_from(trs);
    }
    return {};
  }
  LISSOM_INLINE const Source& source(std::int32_t index) const { return sources_[index]; }
  LISSOM_INLINE Vec3<L> source_position(std::int32_t index) const {
    return sources_[index].to_source.translation();
  }

  // ---- Rotations of the target. ----

  LISSOM_NOINLINE void turn() {
    for (const RetargetTurn& turn : plan_.turns) {
      Quat<L> q = source(turn.first).source_from_joint * rotation<T>(turn.first_factor);
      if (turn.weight != 0) {
        const Quat<L> other = source(turn.second).source_from_joint * rotation<T>(turn.second_factor);
        q = slerp(normalized(q), normalized(other), number<T>(turn.weight));
      }
      targets_[turn.joint].model_from_joint = normalized(q);
    }
    for (const RetargetTwist& twist : plan_.twists) {
      const Quat<L> base = targets_[twist.base].model_from_joint,
                    other = targets_[twist.other].model_from_joint;
      const Quat<L> rest = conjugate(rotation<T>(twist.rest));
      const Quat<L> shared =
          twist.is_from_above ? rest * (conjugate(other) * base) : (conjugate(base) * other) * rest;
      const Quat<L> part = swing_twist(shared, vector<T>(twist.axis)).twist;
      const L power = number<T>(twist.power);
      const Quat<L> some =
          slerp(Quat<L>::identity(), select(power < L(0), conjugate(part), part), abs(power));
      targets_[twist.joint].model_from_joint = normalized(base * some * rotation<T>(twist.base_from_joint));
    }
  }

  LISSOM_INLINE Trs<L> rest_of(std::size_t joint) const {
    const T* n = rest_ + joint * kTrsScalars;
    return {{L(n[0]), L(n[1]), L(n[2])}, {L(n[3]), L(n[4]), L(n[5]), L(n[6])}, {L(n[7]), L(n[8]), L(n[9])}};
  }

  // The transform of a joint by that of its parent; writes what of its local one is not the rest.
  LISSOM_NOINLINE void compose(const RetargetPlan::Joint& joint, const L& lowered, bool stores) {
    Target& out = targets_[joint.joint];
    const auto index = static_cast<std::size_t>(joint.joint);
    const Target* parent = joint.parent < 0 ? nullptr : targets_ + joint.parent;
    const Vec3<L> mirror = vector<T>(joint.mirror);
    Trs<L> local = rest_of(index);
    if (joint.turns) {
      local.rotation =
          parent ? normalized(mirrored(mirror, conjugate(parent->model_from_joint) * out.model_from_joint))
                 : out.model_from_joint;
      if (stores) store_rotation(index, local.rotation);
    } else {
      out.model_from_joint =
          parent ? parent->model_from_joint * mirrored(mirror, local.rotation) : local.rotation;
    }
    if (!joint.has_position) return;
    if (joint.joint == plan_.body.hips || joint.place >= 0) {
      const Vec3<L> place_model = joint.place >= 0
                                      ? place(plan_.places[static_cast<std::size_t>(joint.place)])
                                      : hips() - lowered * vector<T>(plan_.body.up);
      local.translation = parent ? transform_point(inverse(parent->to_model), place_model) : place_model;
      if (stores) store_translation(index, local.translation);
    }
    out.to_model = parent ? parent->to_model * affine_from(local) : affine_from(local);
  }
  LISSOM_INLINE Vec3<L> hips() const {
    return source_position(plan_.body.source_hips) + vector<T>(plan_.body.origin);
  }
  LISSOM_INLINE Vec3<L> place(const RetargetPlace& place) {
    if (place.limb >= 0 && batch_.goals) {
      L beyond;
      return within_reach(static_cast<std::size_t>(place.limb), beyond);
    }
    const Target& from = targets_[place.from];
    return from.to_model.translation() + rotate(from.model_from_joint, vector<T>(place.offset));
  }
  LISSOM_INLINE Vec3<L> position(std::int32_t joint) const { return targets_[joint].to_model.translation(); }

  // ---- Goals. ----

  // The part of a rotation that is about the vertical.
  LISSOM_NOINLINE Quat<L> heading_of(const Quat<L>& turned) const {
    return swing_twist(turned, vector<T>(plan_.body.up)).twist;
  }

  LISSOM_INLINE void find_headings() {
    heading_ =
        heading_of(source(plan_.body.source_hips).source_from_joint * rotation<T>(plan_.body.heading_factor));
    for (std::size_t i = 0; i < plan_.limbs.size(); ++i)
      if (plan_.limbs[i].is_leg) goals_[i] = leg_goal(i);
  }

  LISSOM_NOINLINE Vec3<L> leg_goal(std::size_t index) const {
    const RetargetLimb& limb = plan_.limbs[index];
    const Quat<L> foot = source(limb.source_end).source_from_joint * rotation<T>(limb.end_factor);
    const Quat<L> toes = source(limb.source_toes).source_from_joint * rotation<T>(limb.toes_factor);
    const Quat<L> heading = heading_of(foot);
    const Vec3<L> up = vector<T>(plan_.body.up);
    L heights[kRetargetSolePoints], lowest = number<T>(Limits<T>::kLargest);
    for (int k = 0; k < kRetargetSolePoints; ++k) {
      const RetargetSolePoint& point = limb.points[k];
      heights[k] =
          dot(up, rotate(foot, vector<T>(point.source_foot)) + rotate(toes, vector<T>(point.source_toes)));
      lowest = min(lowest, heights[k]);
    }
    Vec3<L> correction = {L(0), L(0), L(0)};
    L sum = L(0);
    for (int k = 0; k < kRetargetSolePoints; ++k) {
      const RetargetSolePoint& point = limb.points[k];
      const L share = (heights[k] - lowest) / number<T>(limb.contact), fall = 1 / (1 + share * share);
      const L weight = fall * fall;
      const Vec3<L> of_foot = vector<T>(point.surplus_foot), of_toes = vector<T>(point.surplus_toes);
      const Vec3<L> flat = rotate(heading, of_foot + of_toes);
      correction = correction + weight * (flat - rotate(foot, of_foot) - rotate(toes, of_toes));
      sum += weight;
    }
    Vec3<L> offset = rotate(heading_, vector<T>(limb.sideways));
    if (batch_.offsets) {
      alignas(64) T numbers[3][L::kCount];
      for (int lane = 0; lane < L::kCount; ++lane)
        for (int k = 0; k < 3; ++k)
          numbers[k][lane] =
              batch_.offsets[(items_[lane] * plan_.limbs.size() + index) * 3 + static_cast<std::size_t>(k)];
      using V = typename L::Vector;
      offset = {load_as<V>(numbers[0]), load_as<V>(numbers[1]), load_as<V>(numbers[2])};
    }
    const Vec3<L> ankle = source_position(limb.source_end);
    // In the air feet only follow.
    const L clearance = max(dot(up, ankle) + lowest - number<T>(plan_.body.source_floor), L(0));
    const L share = clearance / number<T>(limb.lifted), fall = 1 / (1 + share * share);
    const Vec3<L> goal = ankle + vector<T>(limb.origin) + offset + (fall * fall / sum) * correction;
    // No deeper in the ground than the source's sole.
    L own_lowest = number<T>(Limits<T>::kLargest);
    for (int k = 0; k < kRetargetSolePoints; ++k) {
      const RetargetSolePoint& point = limb.points[k];
      const Vec3<L> of_foot = vector<T>(point.surplus_foot) + vector<T>(point.source_foot),
                    of_toes = vector<T>(point.surplus_toes) + vector<T>(point.source_toes);
      own_lowest = min(own_lowest, dot(up, rotate(foot, of_foot) + rotate(toes, of_toes)));
    }
    const L allowed = min(dot(up, ankle) + lowest - number<T>(plan_.body.source_floor), L(0));
    const L height = dot(up, goal) + own_lowest - number<T>(plan_.body.floor);
    return goal + max(allowed - height, L(0)) * up;
  }

  // By how much the pelvis is lowered so that the legs reach their goals.
  LISSOM_NOINLINE void lower() {
    const Vec3<L> up = vector<T>(plan_.body.up);
    for (const RetargetPlan::Joint& joint : plan_.joints)
      if (joint.is_above_legs) compose(joint, L(0), false);
    L most = L(0);
    for (std::size_t i = 0; i < plan_.limbs.size(); ++i) {
      const RetargetLimb& limb = plan_.limbs[i];
      if (!limb.is_leg) continue;
      const Vec3<L> to_hip = position(limb.upper) - goals_[i];
      const L height = dot(to_hip, up), reach = reach_of(limb);
      const L across = dot(to_hip, to_hip) - height * height;
      const L least = sqrt(max(reach * reach - across, L(0)));
      most = max(most, height - least);
    }
    lowered_ = min(most, number<T>(plan_.body.most_drop));
  }

  // The farthest that the end of a limb is from its upper joint, in this pose of the joints between.
  LISSOM_INLINE L reach_of(const RetargetLimb& limb) const {
    const Vec3<L> middle = position(limb.lower);
    return number<T>(limb.reach) *
           (length(middle - position(limb.upper)) + length(position(limb.end) - middle));
  }

  // The goal of a limb, or what the limb reaches of it.
  LISSOM_NOINLINE Vec3<L> within_reach(std::size_t index, L& beyond) const {
    const RetargetLimb& limb = plan_.limbs[index];
    const Vec3<L> upper = position(limb.upper);
    const Vec3<L> line =
        limb.is_leg
            ? goals_[index] - upper
            : number<T>(limb.scale) * (source_position(limb.source_end) - source_position(limb.source_upper));
    const L distance = length(line), reach = reach_of(limb);
    const Mask<T> is_beyond = distance > reach;
    beyond = select(is_beyond, distance - reach, L(0));
    return upper + select(is_beyond, reach / distance, L(1)) * line;
  }

  // ---- Output. ----

  LISSOM_INLINE void store_rotation(std::size_t joint, const Quat<L>& q) const {
    const L columns[4] = {q.x, q.y, q.z, q.w};
    store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return row(lane, joint) + 3; }, columns);
  }
  LISSOM_INLINE void store_translation(std::size_t joint, const Vec3<L>& t) const {
    for (int lane = 0; lane < L::kCount; ++lane) {
      T* out = row(lane, joint);
      out[0] = t.x.v[lane], out[1] = t.y.v[lane], out[2] = t.z.v[lane];
    }
  }
  LISSOM_INLINE T* row(int lane, std::size_t joint) const {
    return batch_.out + items_[lane] * plan_.rest.size() + joint * kTrsScalars;
  }

  LISSOM_NOINLINE void store_limbs() {
    const std::size_t count = plan_.limbs.size();
    for (std::size_t i = 0; i < count; ++i) {
      L beyond;
      const Vec3<L> goal = within_reach(i, beyond);
      const Quat<L> q = targets_[plan_.limbs[i].end].model_from_joint;
      for (int lane = 0; lane < L::kCount; ++lane) {
        const std::size_t at = items_[lane] * count + i;
        T* to = batch_.goals + at * 3;
        to[0] = goal.x.v[lane], to[1] = goal.y.v[lane], to[2] = goal.z.v[lane];
        T* turned = batch_.orientations + at * 4;
        turned[0] = q.x.v[lane], turned[1] = q.y.v[lane], turned[2] = q.z.v[lane], turned[3] = q.w.v[lane];
        batch_.beyond[at] = beyond.v[lane];
      }
    }
    for (int lane = 0; lane < L::kCount; ++lane) {
      T* to = batch_.headings + items_[lane] * 4;
      to[0] = heading_.x.v[lane], to[1] = heading_.y.v[lane], to[2] = heading_.z.v[lane],
      to[3] = heading_.w.v[lane];
    }
  }

  const RetargetPlan& plan_;
  const RetargetBatch<T>& batch_;
  const T* rest_;
  Source* sources_;
  Target* targets_;
  Vec3<L>* goals_;  // of legs, before what they reach
  Quat<L> heading_;
  L lowered_;
  std::size_t items_[L::kCount];
};

template <class T>
RetargetFault carry(const RetargetPlan& plan, const RetargetBatch<T>& batch, const T* rest, std::size_t begin,
                    std::size_t end, void* scratch) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  Group<T> group(plan, batch, rest, scratch);
  for (std::size_t first = begin; first < end; first += kLanes) {
    const RetargetFault fault = group.carry(first, end - first < kLanes ? end - first : kLanes);
    if (fault.joint >= 0) return fault;
  }
  return {};
}

template <class T>
std::size_t scratch_bytes(const RetargetPlan& plan) {
  return Group<T>::scratch_bytes(plan);
}

}  // namespace

extern const RetargetKernels retarget_kernels;
const RetargetKernels retarget_kernels = {{&carry<float>, &scratch_bytes<float>},
                                          LISSOM_DOUBLES(&carry<double>, &scratch_bytes<double>)};

}  // namespace lissom::LISSOM_ISA
