// SPDX-License-Identifier: MIT
#include "core/ik/two_bone_kernels.h"

#include "core/ik/chain_groups.h"
#include "core/ik/rotations.h"

namespace lissom::LISSOM_ISA {
namespace {

// Of a limb bent by less, as a sine, the plane is blended with that of its stored axis: its own is rounding.
constexpr double kStraight = 0.05;
// A pole nearer to the line from root to target than this, as a sine, is followed in part.
constexpr double kOnLine = 0.05;
// A target nearer to the root than this share of the limb has no direction.
constexpr double kAtRoot = 64;  // of the last place
// Iteration has converged where the residual after a round is more than this share of the one before.
constexpr double kConverged = 0.99;

// One limb of a group. Spaces: `_base`; `_limb`, of the middle joint's parent, which is rigid with the root; `_limit`,
// of the middle joint's hinge.
template <class T>
class Limb {
 public:
  using L = Lanes<T>;
  LISSOM_INLINE Limb(ChainLanes<T>& chains, const TwoBoneOptions<T>& options, std::size_t effector)
      : chains_(chains), options_(options), e_(effector) {
    const IkNode* plan_nodes = chains.plan.nodes;
    end_ = static_cast<std::size_t>(chains.plan.effectors[effector]);
    middle_ = static_cast<std::size_t>(plan_nodes[end_].parent);
    root_ = static_cast<std::size_t>(plan_nodes[middle_].parent);
    is_root_plain_ = chains.is_plain(root_), is_middle_plain_ = chains.is_plain(middle_);
  }

  // Solves `kCount` limbs from the current rotations of their nodes, and tells the numbers of rounds. Step by step for
  // all: each step waits for the one before, and processors look ahead a few hundred operations.
  template <int kCount>
  static LISSOM_INLINE void solve(Limb* limbs, L* rounds) {
    for (int g = 0; g < kCount; ++g) limbs[g].measure();
    if (limbs[0].is_hinge(limbs[0].middle_)) {
      for (int g = 0; g < kCount; ++g) limbs[g].bend_hinge();
    } else {
      for (int g = 0; g < kCount; ++g) limbs[g].find_bend_axis();
      for (int g = 0; g < kCount; ++g) limbs[g].bend_in_plane();
    }
    if (limbs[0].is_hinge(limbs[0].root_)) {
      for (int g = 0; g < kCount; ++g)
        limbs[g].aim_hinge(limbs[g].root_, limbs[g].root_to_effector_base(), limbs[g].root_to_target_base_);
    } else {
      for (int g = 0; g < kCount; ++g) limbs[g].find_directions();
      for (int g = 0; g < kCount; ++g) limbs[g].aim();
    }
    for (int g = 0; g < kCount; ++g) rounds[g] = limbs[g].iterate_within_limits();
  }

 private:
  LISSOM_INLINE NodeLanes<T>& root() const { return chains_.nodes[root_]; }
  LISSOM_INLINE NodeLanes<T>& middle() const { return chains_.nodes[middle_]; }
  LISSOM_INLINE NodeLanes<T>& end() const { return chains_.nodes[end_]; }
  LISSOM_INLINE const IkLimit& limit(std::size_t i) const { return chains_.plan.nodes[i].limit; }
  LISSOM_INLINE bool is_hinge(std::size_t i) const { return limit(i).kind == LimitKind::kHinge; }
  LISSOM_INLINE L least_length() const {
    return L(T(kAtRoot) * Limits<T>::kEpsilon) * limb_length_ + L(Limits<T>::kSmallest);
  }

  LISSOM_NOINLINE void measure() {
    base_from_root_parent_ = chains_.base_from_parent(root_);
    upper_limb_ = middle().offset_parent_node;
    if (!is_middle_plain_) {
      upper_limb_ = rotate(conjugate(middle().parent_node_from_parent), upper_limb_);
    }
    upper_length_ = middle().bone_length, lower_length_ = end().bone_length;
    limb_length_ = upper_length_ + lower_length_;
    root_to_target_base_ = chains_.effectors[e_].target_base - root().offset_parent_node;
    start_base_ = root_to_effector_base();
    distance_ = length(root_to_target_base_);
  }

  // Most limbs have no joints between: products with identities would take a third of the time.
  LISSOM_INLINE Quat<L> base_from_root() const {
    return is_root_plain_ ? root().local : base_from_root_parent_ * root().local;
  }
  LISSOM_INLINE Quat<L> base_from_limb() const {
    return is_middle_plain_ ? base_from_root() : base_from_root() * middle().parent_node_from_parent;
  }
  LISSOM_INLINE Vec3<L> root_to_effector_base() const {
    return rotate(base_from_limb(), upper_limb_ + rotate(middle().local, end().offset_parent_node));
  }

  // ---- The middle joint. ----

  // The distance from root to effector that is aimed for: beyond `soften` of the reach it grows ever more slowly than
  // that of the target, with a slope of 1 where it begins.
  LISSOM_INLINE L softened(const L& distance, const L& reach) const {
    if (options_.soften >= T(1)) return distance;
    const L begin = L(options_.soften) * reach, rest = reach - begin;
    const Mask<T> is_beyond = (distance > begin) & (rest > L(0));
    const L factor = 4 / (4 + (distance - begin) / select(is_beyond, rest, L(1)));
    const L square = factor * factor;
    return select(is_beyond, begin + rest * (1 - square * square), distance);
  }

  // Half the angle by which the middle joint is bent from the straight limb, for a distance from root to effector
  // between the least and the greatest possible. Products of differences: near full reach nothing cancels.
  LISSOM_INLINE AboutZ<L> half_bend(const L& target_distance, const L& nearest, const L& farthest) const {
    const L distance = min(max(softened(target_distance, farthest), nearest), farthest);
    const L sine = (farthest - distance) * (farthest + distance);  // their squares
    const L cosine = (distance - nearest) * (distance + nearest);
    const L sum = sine + cosine;
    const Mask<T> is_lost = sum <= L(Limits<T>::kSmallest);
    const L factor = 1 / select(is_lost, L(1), sum);
    return {select(is_lost, L(0), sqrt(factor * sine)), select(is_lost, L(1), sqrt(factor * cosine))};
  }

  // In the plane that the limb is bent in, to the side of the rest pose.
  LISSOM_NOINLINE void find_bend_axis() {
    const Vec3<L> x_axis = {L(1), L(0), L(0)};
    upper_direction_limb_ = direction_or(upper_limb_, upper_length_, least_length(), x_axis);
    lower_direction_limb_ = direction_or(rotate(middle().local, end().offset_parent_node), lower_length_,
                                         least_length(), upper_direction_limb_);
    const Vec3<L> stored_axis_limb =
        chains_.axis_in_mirror(middle_, broadcast<T>(chains_.plan.nodes[middle_].bend_axis_parent));
    const Vec3<L> rest_axis_limb = unit_perpendicular_part(stored_axis_limb, upper_direction_limb_);
    const Vec3<L> pose_axis_limb =
        cross(upper_direction_limb_, lower_direction_limb_);  // times the sine of the bend
    const L cosine_to_rest = dot(pose_axis_limb, rest_axis_limb),
            straightness =
                max(1 - dot(pose_axis_limb, pose_axis_limb) * lanes_of<T>(1 / (kStraight * kStraight)), L(0));
    bend_axis_limb_ = normalized(
        (abs(cosine_to_rest) + lanes_of<T>(kStraight) * straightness * straightness) * rest_axis_limb +
        (pose_axis_limb - cosine_to_rest * rest_axis_limb));
  }
  LISSOM_NOINLINE void bend_in_plane() {
    NodeLanes<T>& node = middle();
    const AboutZ<L> half = half_bend(distance_, abs(upper_length_ - lower_length_), limb_length_);
    const L sine = 2 * half.z * half.w, cosine = half.w * half.w - half.z * half.z;
    const Vec3<L> bent_direction_limb =
        cosine * upper_direction_limb_ + sine * cross(bend_axis_limb_, upper_direction_limb_);
    const Mask<T> is_rigid = min(upper_length_, lower_length_) <= least_length();
    const Quat<L> arc = arc_between(lower_direction_limb_, bent_direction_limb, bend_axis_limb_);
    const Quat<L> bent = normalized(select(is_rigid, node.local, arc * node.local));
    node.local = select(is_rigid, bent, chains_.clamp(middle_, bent));
  }

  // About the hinge: with bones p and R(angle) q, whose x and y are perpendicular to the axis, the squared distance
  // from root to effector is K + 2 h cos(angle - straight).
  LISSOM_NOINLINE void bend_hinge() {
    NodeLanes<T>& node = middle();
    const IkLimit& hinge = limit(middle_);
    const Vec3<L> p = rotate(conjugate(broadcast<T>(hinge.parent_from_limit)), node.mirror * upper_limb_);
    const Vec3<L> q =
        rotate(conjugate(broadcast<T>(hinge.joint_from_limit)), node.mirror * end().offset_parent_node);
    const L cosine = p.x * q.x + p.y * q.y, sine = q.x * p.y - q.y * p.x;
    const L h = sqrt(cosine * cosine + sine * sine);
    const L planar_p = sqrt(p.x * p.x + p.y * p.y), planar_q = sqrt(q.x * q.x + q.y * q.y);
    const L out_of_plane = (p.z + q.z) * (p.z + q.z);
    const L sum = planar_p + planar_q, difference = planar_p - planar_q;
    const AboutZ<L> half =
        half_bend(distance_, sqrt(difference * difference + out_of_plane), sqrt(sum * sum + out_of_plane));
    const AboutZ<L> straight = rotation_about_z(sine, cosine);
    const L side = bend_side(sine, cosine, h);
    const AboutZ<L> twist = clamped_twist<T>(straight * AboutZ<L>{side * half.z, half.w}, hinge);
    const Quat<L> local = mirrored(node.mirror, from_limit<T>(hinge, Quat<L>{L(0), L(0), twist.z, twist.w}));
    const Mask<T> is_rigid = min(planar_p, planar_q) <= least_length();
    node.local = normalized(select(is_rigid, node.local, local));
    const Vec3<L> z_axis = {L(0), L(0), L(1)};
    bend_axis_limb_ =
        side * chains_.axis_in_mirror(middle_, rotate(broadcast<T>(hinge.parent_from_limit), z_axis));
  }

  // +1 or -1: to which side of the straight limb the hinge bends: the one with more of its range. Where both have as
  // much, or the hinge is free: the side of the rest pose, whose angle is 0; where that is straight: forwards.
  LISSOM_INLINE L bend_side(const L& sine, const L& cosine, const L& h) const {
    const IkLimit& hinge = limit(middle_);
    const L sin_middle = lanes_of<T>(2 * hinge.half_middle.sin * hinge.half_middle.cos);
    const L cos_middle = lanes_of<T>(1 - 2 * hinge.half_middle.sin * hinge.half_middle.sin);
    const L of_range = sin_middle * cosine - cos_middle * sine, little = lanes_of<T>(1e-4) * h;
    const bool is_free = hinge.half_range >= kPi;
    const Mask<T> by_range = is_free ? L(0) != L(0) : abs(of_range) > little;
    const Mask<T> is_straight = abs(sine) <= little;
    return copysign(L(1), select(by_range, of_range, select(is_straight, L(1), -sine)));
  }

  // ---- The root. ----

  // Rotates the root so that the bent limb points at its target: back to the direction that the limb had at the start,
  // and from there by the shortest rotation, which takes the plane of the limb with it; then about the line to the
  // target.
  LISSOM_NOINLINE void find_directions() {
    bend_axis_base_ = rotate(base_from_limb(), bend_axis_limb_);
    const Vec3<L> bent_base = root_to_effector_base();
    const L bent_length = length(bent_base);
    const bool is_any_folded = any(bent_length <= least_length());
    bent_direction_base_ = direction_or(
        bent_base, bent_length, least_length(),
        __builtin_expect(is_any_folded, false) ? perpendicular(bend_axis_base_) : bend_axis_base_);
    start_direction_base_ =
        direction_or(start_base_, length(start_base_), least_length(), bent_direction_base_);
    target_direction_base_ =
        direction_or(root_to_target_base_, distance_, least_length(), start_direction_base_);
    is_folded_ = bent_length <= least_length();
  }
  LISSOM_NOINLINE void aim() {
    const Vec3<L>&bend_axis_base = bend_axis_base_, &target_direction_base = target_direction_base_;
    Quat<L> rotation_base = arc_between(start_direction_base_, target_direction_base, bend_axis_base) *
                            arc_between(bent_direction_base_, start_direction_base_, bend_axis_base);
    if (options_.poles || options_.twists) rotation_base = normalized(rotation_base);
    if (options_.poles) {
      rotation_base = roll_to_pole(target_direction_base, rotation_base, bend_axis_base) * rotation_base;
    }
    if (options_.twists) rotation_base = twist_about(target_direction_base) * rotation_base;
    Quat<L> local = rotation_base * base_from_root();
    if (!is_root_plain_) local = conjugate(base_from_root_parent_) * local;
    // A limb folded to no length has no direction: it stays.
    root().local = chains_.clamp(root_, normalized(select(is_folded_, root().local, local)));
  }

  // The rotation about the line from root to target, a unit vector, that brings the middle joint into the half plane of
  // the pole, after `rotation_base`.
  LISSOM_NOINLINE Quat<L> roll_to_pole(const Vec3<L>& line_base, const Quat<L>& rotation_base,
                                       const Vec3<L>& bend_axis_base) const {
    Vec3<L> pole_model;
    for (int lane = 0; lane < L::kCount; ++lane) {
      const T* pole = options_.poles + chains_.items[lane] * options_.pole_step + 3 * e_;
      pole_model.x.v[lane] = pole[0], pole_model.y.v[lane] = pole[1], pole_model.z.v[lane] = pole[2];
    }
    const Mask<T> is_asked = pole_model.x == pole_model.x;
    pole_model = select(is_asked, pole_model, Vec3<L>{L(0), L(0), L(0)});
    const Vec3<L> pole_base = chains_.plan.ancestor_count
                                  ? transform_point(inverse(chains_.model_from_base), pole_model)
                                  : pole_model;
    const Vec3<L> root_to_pole_base = pole_base - root().offset_parent_node;
    // From the line to the middle joint; of a straight limb, to where it would bend.
    const Vec3<L> offset_base =
        perpendicular_part(rotate(rotation_base, rotate(base_from_limb(), upper_limb_)), line_base);
    const L little = lanes_of<T>(1e-3) * limb_length_;
    const L straightness =
        max(1 - dot(offset_base, offset_base) / (little * little + L(Limits<T>::kSmallest)), L(0));
    const Vec3<L> line_to_middle_base =
        offset_base + (straightness * little) * cross(line_base, rotate(rotation_base, bend_axis_base));
    const Vec3<L> line_to_pole_base = perpendicular_part(root_to_pole_base, line_base);
    const AboutZ<L> half = rotation_about_z(dot(cross(line_to_middle_base, line_to_pole_base), line_base),
                                            dot(line_to_middle_base, line_to_pole_base));
    // The nearer the pole is to the line, the less its direction means.
    const L sine = length(line_to_pole_base) / max(length(root_to_pole_base), L(Limits<T>::kSmallest));
    const L share = min(sine * lanes_of<T>(1 / kOnLine), L(1));
    const L followed = select(is_asked, share * share * (3 - 2 * share), L(0));
    const Quat<L> roll = quat_from((followed * half.z) * line_base, 1 - followed + followed * half.w);
    return select(followed == L(1), quat_from(half.z * line_base, half.w), normalized(roll));
  }

  LISSOM_INLINE Quat<L> twist_about(const Vec3<L>& line_base) const {
    L angle;
    for (int lane = 0; lane < L::kCount; ++lane) {
      angle.v[lane] = options_.twists[chains_.items[lane] * options_.twist_step + e_];
    }
    return quat_from_axis_angle(line_base, angle);
  }

  // ---- Where limits keep the limb from its target. ----

  // Rotates node `i`, which moves the vector `from_base`, so that it points along `to_base`, as far as its limit
  // allows.
  LISSOM_NOINLINE void aim_joint(std::size_t i, const Vec3<L>& from_base, const Vec3<L>& to_base) {
    if (is_hinge(i)) return aim_hinge(i, from_base, to_base);
    const L from_length = length(from_base), to_length = length(to_base);
    const Mask<T> is_lost = min(from_length, to_length) <= least_length();
    const Vec3<L> from_direction_base =
        direction_or(from_base, from_length, least_length(), Vec3<L>{L(1), L(0), L(0)});
    const Quat<L> rotation_base = rotation_between(
        from_direction_base, direction_or(to_base, to_length, least_length(), from_direction_base),
        rotate(base_from_limb(), bend_axis_limb_));
    apply(i, rotation_base, is_lost);
  }
  LISSOM_INLINE void aim_hinge(std::size_t i, const Vec3<L>& from_base, const Vec3<L>& to_base) {
    const Vec3<L> z_axis = {L(0), L(0), L(1)};
    const Vec3<L> axis_base =
        rotate(base_from_parent(i),
               chains_.axis_in_mirror(i, rotate(broadcast<T>(limit(i).parent_from_limit), z_axis)));
    const Vec3<L> from_across_base = perpendicular_part(from_base, axis_base),
                  to_across_base = perpendicular_part(to_base, axis_base);
    const Mask<T> is_lost = min(length(from_across_base), length(to_across_base)) <= least_length();
    apply(i,
          rotation_about(axis_base, dot(cross(from_across_base, to_across_base), axis_base),
                         dot(from_across_base, to_across_base)),
          is_lost);
  }
  LISSOM_INLINE Quat<L> base_from_parent(std::size_t i) const {
    return i == root_ ? base_from_root_parent_ : base_from_limb();
  }
  // Rotates node `i` by a rotation in the base, as far as its limit allows.
  LISSOM_INLINE void apply(std::size_t i, const Quat<L>& rotation_base, Mask<T> is_lost) {
    NodeLanes<T>& node = chains_.nodes[i];
    const Quat<L> parent = base_from_parent(i);
    const Quat<L> local =
        normalized(select(is_lost, node.local, conjugate(parent) * (rotation_base * (parent * node.local))));
    node.local = select(is_lost, local, chains_.clamp(i, local));
  }

  LISSOM_INLINE L residual() const {
    const Vec3<L> error_base = root_to_target_base_ - root_to_effector_base();
    return length(chains_.plan.ancestor_count ? transform_vector(chains_.model_from_base, error_base)
                                              : error_base);
  }

  // Where a limit changed the rotation of the root, it aims again from there: alternating projections between the
  // rotations that bring the effector to its target and those that the limit allows. Once that has converged, the
  // middle joint rotates, too, as in cyclic coordinate descent. Returns the rounds, the one before included.
  LISSOM_NOINLINE L iterate_within_limits() {
    L rounds = L(1);
    const bool is_free = limit(root_).kind == LimitKind::kNone && limit(middle_).kind != LimitKind::kCone;
    if (is_free || chains_.batch.max_iterations <= 1) return rounds;
    const L tolerance = L(chains_.batch.tolerance) * chains_.effectors[e_].chain_length;
    L best = residual();
    Quat<L> best_root = root().local, best_middle = middle().local;
    Mask<T> is_busy = best > tolerance, moves_middle = L(0) != L(0);
    for (std::int32_t i = 1; i < chains_.batch.max_iterations && any(is_busy); ++i) {
      const Vec3<L> middle_to_effector_base =
          rotate(base_from_limb(), rotate(middle().local, end().offset_parent_node));
      const Quat<L> kept = middle().local;
      aim_joint(middle_, middle_to_effector_base,
                root_to_target_base_ - rotate(base_from_limb(), upper_limb_));
      middle().local = select(moves_middle, middle().local, kept);
      aim_joint(root_, root_to_effector_base(), root_to_target_base_);
      const L distance = residual();
      rounds = select(is_busy, rounds + L(1), rounds);
      const Mask<T> is_better = is_busy & (distance < best),
                    has_converged = !(distance < L(T(kConverged)) * best);
      best = select(is_better, distance, best);
      best_root = select(is_better, root().local, best_root);
      best_middle = select(is_better, middle().local, best_middle);
      is_busy = is_busy & (distance > tolerance) & !(has_converged & moves_middle);
      moves_middle = moves_middle | has_converged;
    }
    root().local = best_root, middle().local = best_middle;
    return rounds;
  }

  ChainLanes<T>& chains_;
  const TwoBoneOptions<T>& options_;
  std::size_t e_, root_, middle_, end_;
  bool is_root_plain_, is_middle_plain_;
  Quat<L> base_from_root_parent_;  // of the root's parent joint
  Vec3<L> upper_limb_;             // from root to middle joint
  L upper_length_, lower_length_;  // of the two bones
  L limb_length_;                  // their sum
  Vec3<L> root_to_target_base_;
  L distance_;              // of that
  Vec3<L> start_base_;      // from root to effector at the start
  Vec3<L> bend_axis_limb_;  // of the middle joint, unit
  Vec3<L> bend_axis_base_;
  Vec3<L> upper_direction_limb_, lower_direction_limb_;  // at the start, unit
  Vec3<L> bent_direction_base_, start_direction_base_, target_direction_base_;
  Mask<T> is_folded_;  // whether the bent limb has no length
};

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, const TwoBoneOptions<T>& options, std::size_t begin,
           std::size_t end, void* scratch) {
  using L = Lanes<T>;
  for_each_loaded_pair<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>* chains, const int* counts) {
    L rounds[2] = {L(0), L(0)};
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      L found[2];
      Limb<T> limbs[2] = {{chains[0], options, e}, {chains[1], options, e}};
      if (counts[1]) {
        Limb<T>::template solve<2>(limbs, found);
      } else {
        Limb<T>::template solve<1>(limbs, found);
        found[1] = L(0);
      }
      for (int g = 0; g < 2; ++g) rounds[g] = max(rounds[g], found[g]);
    }
    for (int g = 0; g < 2 && counts[g]; ++g) {
      if (batch.orientations) {
        chains[g].compose();
        chains[g].orient_effectors();
      }
      chains[g].store_unit(rounds[g], counts[g]);
    }
  });
}

template <class T>
std::size_t scratch_bytes(const IkPlan& plan) {
  return 2 * ChainLanes<T>::scratch_bytes(plan);
}

}  // namespace

extern const TwoBoneKernels two_bone_kernels;
const TwoBoneKernels two_bone_kernels = {{&solve<float>, &scratch_bytes<float>},
                                         {&solve<double>, &scratch_bytes<double>}};

}  // namespace lissom::LISSOM_ISA
