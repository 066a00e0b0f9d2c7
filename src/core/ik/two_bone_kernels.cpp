// SPDX-License-Identifier: MIT
#include "core/ik/two_bone_kernels.h"

#include "core/ik/chain_lanes.h"
#include "core/ik/turns.h"

namespace lissom::LISSOM_ISA {
namespace {

// A limb bent by less, as a sine, is turned into the plane of its stored axis bit by bit: its own is rounding.
constexpr double kStraight = 0.05;
// A pole nearer to the line from root to target than this, as a sine, is followed bit by bit.
constexpr double kOnLine = 0.05;
// A target nearer to the root than this share of the limb has no direction.
constexpr double kAtRoot = 64;  // of the last place
// A round that leaves more of the residual than this brings nothing.
constexpr double kSlow = 0.99;

// One limb of a group. Vectors are in the base unless they say otherwise; the limb's own are in the frame of the middle
// joint's parent, which is rigid with the root.
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
  }

  // Solves for what the nodes are at, and returns how many rounds it took.
  LISSOM_INLINE L solve() {
    above_ = chains_.frame_above(root_);
    upper_ = rotate(conjugate(middle().before), middle().offset);
    upper_length_ = length(upper_), lower_length_ = length(end().offset);
    size_ = upper_length_ + lower_length_;
    to_target_ = chains_.effectors[e_].target - root().offset;
    const Vec3<L> way = effector_from_root();
    const L distance = length(to_target_);
    bend(distance);
    const Vec3<L> bent_way = effector_from_root();
    aim(way, bent_way, distance);
    return finish();
  }

 private:
  LISSOM_INLINE NodeLanes<T>& root() const { return chains_.nodes[root_]; }
  LISSOM_INLINE NodeLanes<T>& middle() const { return chains_.nodes[middle_]; }
  LISSOM_INLINE NodeLanes<T>& end() const { return chains_.nodes[end_]; }
  LISSOM_INLINE const IkLimit& limit(std::size_t i) const { return chains_.plan.nodes[i].limit; }
  LISSOM_INLINE bool is_hinge(std::size_t i) const { return limit(i).kind == LimitKind::kHinge; }
  LISSOM_INLINE L least() const {
    return L(T(kAtRoot) * Limits<T>::kEpsilon) * size_ + L(Limits<T>::kSmallest);
  }

  LISSOM_INLINE Quat<L> root_frame() const { return above_ * root().local; }
  LISSOM_INLINE Quat<L> limb_frame() const { return root_frame() * middle().before; }
  LISSOM_INLINE Vec3<L> effector_from_root() const {
    return rotate(limb_frame(), upper_ + rotate(middle().local, end().offset));
  }

  // ---- The middle joint. ----

  // The distance from root to effector that is asked for: beyond `soften` of the reach ever less than that of the
  // target, with a slope of 1 where it begins.
  LISSOM_INLINE L softened(const L& distance, const L& reach) const {
    if (options_.soften >= T(1)) return distance;
    const L begin = L(options_.soften) * reach, rest = reach - begin;
    const Mask<T> is_beyond = (distance > begin) & (rest > L(0));
    const L factor = 4 / (4 + (distance - begin) / select(is_beyond, rest, L(1)));
    const L square = factor * factor;
    return select(is_beyond, begin + rest * (1 - square * square), distance);
  }

  // The angle of a triangle's corner against the straight limb, halved, of the distance across from it. Products of
  // differences: near full reach nothing cancels.
  LISSOM_INLINE AboutZ<L> half_bend(const L& wanted, const L& nearest, const L& farthest) const {
    const L distance = min(max(softened(wanted, farthest), nearest), farthest);
    const L sine = sqrt((farthest - distance) * (farthest + distance));
    const L cosine = sqrt((distance - nearest) * (distance + nearest));
    const L norm = sqrt(sine * sine + cosine * cosine);
    const Mask<T> is_lost = norm <= L(Limits<T>::kSmallest);
    const L divisor = select(is_lost, L(1), norm);
    return {select(is_lost, L(0), sine / divisor), select(is_lost, L(1), cosine / divisor)};
  }

  LISSOM_INLINE void bend(const L& distance) {
    if (is_hinge(middle_)) {
      bend_hinge(distance);
    } else {
      bend_in_plane(distance);
    }
  }

  // In the plane that the limb is bent in, to the side of the rest pose.
  LISSOM_INLINE void bend_in_plane(const L& distance) {
    NodeLanes<T>& node = middle();
    const Vec3<L> x_axis = {L(1), L(0), L(0)};
    const Vec3<L> straight = direction_or(upper_, upper_length_, least(), x_axis);
    const Vec3<L> lower = direction_or(rotate(node.local, end().offset), lower_length_, least(), straight);
    const Vec3<L> stored =
        chains_.axis_in_mirror(middle_, broadcast<T>(chains_.plan.nodes[middle_].bend_axis_above));
    const Vec3<L> rest_axis = unit_across(stored, straight);
    const Vec3<L> now = cross(straight, lower);
    const L along = dot(now, rest_axis),
            room = max(1 - dot(now, now) * lanes_of<T>(1 / (kStraight * kStraight)), L(0));
    axis_ = normalized((abs(along) + lanes_of<T>(kStraight) * room * room) * rest_axis +
                       (now - along * rest_axis));

    const AboutZ<L> half = half_bend(distance, abs(upper_length_ - lower_length_), size_);
    const L sine = 2 * half.z * half.w, cosine = half.w * half.w - half.z * half.z;
    const Vec3<L> wanted = cosine * straight + sine * cross(axis_, straight);
    const Mask<T> is_rigid = min(upper_length_, lower_length_) <= least();
    const Quat<L> turned = chains_.clamp(middle_, normalized(turn_to(lower, wanted, axis_) * node.local));
    node.local = select(is_rigid, node.local, turned);
  }

  // About the hinge: with bones p and R(angle) q, x and y across the axis, the squared distance is
  // K + 2 h cos(angle - straight).
  LISSOM_NOINLINE void bend_hinge(const L& distance) {
    NodeLanes<T>& node = middle();
    const IkLimit& hinge = limit(middle_);
    const Vec3<L> p = rotate(conjugate(broadcast<T>(hinge.before)), node.sign * upper_);
    const Vec3<L> q = rotate(conjugate(broadcast<T>(hinge.after)), node.sign * end().offset);
    const L cosine = p.x * q.x + p.y * q.y, sine = q.x * p.y - q.y * p.x;
    const L h = sqrt(cosine * cosine + sine * sine);
    const L planar_p = sqrt(p.x * p.x + p.y * p.y), planar_q = sqrt(q.x * q.x + q.y * q.y);
    const L out_of_plane = (p.z + q.z) * (p.z + q.z);
    const L sum = planar_p + planar_q, difference = planar_p - planar_q;
    const AboutZ<L> half =
        half_bend(distance, sqrt(difference * difference + out_of_plane), sqrt(sum * sum + out_of_plane));
    const AboutZ<L> straight = half_of_turn(sine, cosine);
    const L side = bend_side(sine, cosine, h);
    const AboutZ<L> turn = clamped_twist<T>(straight * AboutZ<L>{side * half.z, half.w}, hinge);
    const Quat<L> turned = normalized(from_limit<T>(hinge, Quat<L>{L(0), L(0), turn.z, turn.w}));
    const Mask<T> is_rigid = min(planar_p, planar_q) <= least();
    node.local = select(is_rigid, node.local, mirrored(node.sign, turned));
    const Vec3<L> z_axis = {L(0), L(0), L(1)};
    axis_ = side * chains_.axis_in_mirror(middle_, rotate(broadcast<T>(hinge.before), z_axis));
  }

  // +1 or -1: to which side of the straight limb the hinge bends: that with more of its range. Both have as much, or the
  // hinge is free: that of the rest pose, whose angle is 0; it is straight: forwards.
  LISSOM_INLINE L bend_side(const L& sine, const L& cosine, const L& h) const {
    const IkLimit& hinge = limit(middle_);
    const L sin_middle = lanes_of<T>(2 * hinge.half_middle.sin * hinge.half_middle.cos);
    const L cos_middle = lanes_of<T>(1 - 2 * hinge.half_middle.sin * hinge.half_middle.sin);
    const L of_range = sin_middle * cosine - cos_middle * sine, little = lanes_of<T>(1e-4) * h;
    const bool is_free = hinge.half_range >= kHalfTurn;
    const Mask<T> by_range = is_free ? L(0) != L(0) : abs(of_range) > little;
    const Mask<T> is_straight = abs(sine) <= little;
    return copysign(L(1), select(by_range, of_range, select(is_straight, L(1), -sine)));
  }

  // ---- The root. ----

  // Turns the root so that the bent limb points at its target: back to the line that it was on, and from there the
  // shortest way, so that the plane of the limb goes along; then about that line.
  LISSOM_INLINE void aim(const Vec3<L>& way, const Vec3<L>& bent_way, const L& distance) {
    if (is_hinge(root_)) return point_hinge(root_, bent_way, to_target_);
    const Vec3<L> axis = rotate(limb_frame(), axis_);
    const L bent_size = length(bent_way);
    const Vec3<L> from = direction_or(bent_way, bent_size, least(), perpendicular(axis));
    const Vec3<L> line = direction_or(way, length(way), least(), from);
    const Vec3<L> to = direction_or(to_target_, distance, least(), line);
    Quat<L> turn = turn_to(line, to, axis) * turn_to(from, line, axis);
    if (options_.poles) turn = roll_to_pole(to, turn, axis) * turn;
    if (options_.twists) turn = twist_about(to) * turn;
    const Quat<L> wanted = normalized(conjugate(above_) * (turn * root_frame()));
    // A limb folded to nothing has no direction: it stays.
    const Mask<T> is_lost = bent_size <= least();
    root().local = chains_.clamp(root_, select(is_lost, root().local, wanted));
  }

  LISSOM_NOINLINE Quat<L> roll_to_pole(const Vec3<L>& line, const Quat<L>& turn, const Vec3<L>& axis) const {
    Vec3<L> pole;
    for (int lane = 0; lane < L::kCount; ++lane) {
      const T* from = options_.poles + chains_.items[lane] * options_.pole_step + 3 * e_;
      pole.x.v[lane] = from[0], pole.y.v[lane] = from[1], pole.z.v[lane] = from[2];
    }
    const Mask<T> is_asked = pole.x == pole.x;
    pole = select(is_asked, pole, Vec3<L>{L(0), L(0), L(0)});
    const Vec3<L> in_base =
        chains_.plan.ancestor_count ? transform_point(inverse(chains_.model_from_base), pole) : pole;
    const Vec3<L> to_pole = in_base - root().offset;
    // Where the middle joint is: of a straight limb where it would go.
    const Vec3<L> bow = across(rotate(turn, rotate(limb_frame(), upper_)), line);
    const L little = lanes_of<T>(1e-3) * size_;
    const L room = max(1 - dot(bow, bow) / (little * little + L(Limits<T>::kSmallest)), L(0));
    const Vec3<L> middle_way = bow + (room * little) * cross(line, rotate(turn, axis));
    const Vec3<L> pole_way = across(to_pole, line);
    const AboutZ<L> half = half_of_turn(dot(cross(middle_way, pole_way), line), dot(middle_way, pole_way));
    // Near the line a pole tells ever less.
    const L sine = length(pole_way) / max(length(to_pole), L(Limits<T>::kSmallest));
    const L share = min(sine * lanes_of<T>(1 / kOnLine), L(1));
    const L followed = select(is_asked, share * share * (3 - 2 * share), L(0));
    const Quat<L> roll = quat_from((followed * half.z) * line, 1 - followed + followed * half.w);
    return select(followed == L(1), quat_from(half.z * line, half.w), normalized(roll));
  }

  LISSOM_INLINE Quat<L> twist_about(const Vec3<L>& line) const {
    L angle;
    for (int lane = 0; lane < L::kCount; ++lane) {
      angle.v[lane] = options_.twists[chains_.items[lane] * options_.twist_step + e_];
    }
    return quat_from_axis_angle(line, angle);
  }

  // ---- Where limits are in the way. ----

  // Turns node `i`, which moves the vector `from`, so that it comes to lie along `to`, as far as its limit lets it.
  LISSOM_NOINLINE void point(std::size_t i, const Vec3<L>& from, const Vec3<L>& to) {
    if (is_hinge(i)) return point_hinge(i, from, to);
    const L from_size = length(from), to_size = length(to);
    const Mask<T> is_lost = min(from_size, to_size) <= least();
    const Vec3<L> along = direction_or(from, from_size, least(), Vec3<L>{L(1), L(0), L(0)});
    const Quat<L> turn =
        turn_to(along, direction_or(to, to_size, least(), along), rotate(limb_frame(), axis_));
    put(i, turn, is_lost);
  }
  LISSOM_INLINE void point_hinge(std::size_t i, const Vec3<L>& from, const Vec3<L>& to) {
    const Vec3<L> z_axis = {L(0), L(0), L(1)};
    const Vec3<L> axis =
        rotate(above(i), chains_.axis_in_mirror(i, rotate(broadcast<T>(limit(i).before), z_axis)));
    const Vec3<L> from_across = across(from, axis), to_across = across(to, axis);
    const Mask<T> is_lost = min(length(from_across), length(to_across)) <= least();
    put(i, turn_about(axis, dot(cross(from_across, to_across), axis), dot(from_across, to_across)), is_lost);
  }
  LISSOM_INLINE Quat<L> above(std::size_t i) const { return i == root_ ? above_ : limb_frame(); }
  LISSOM_INLINE void put(std::size_t i, const Quat<L>& turn, Mask<T> is_lost) {
    NodeLanes<T>& node = chains_.nodes[i];
    const Quat<L> frame = above(i);
    const Quat<L> wanted = normalized(conjugate(frame) * (turn * (frame * node.local)));
    node.local = select(is_lost, node.local, chains_.clamp(i, wanted));
  }

  LISSOM_INLINE L residual() const {
    const Vec3<L> way = to_target_ - effector_from_root();
    return length(chains_.plan.ancestor_count ? transform_vector(chains_.model_from_base, way) : way);
  }

  // Where the root could not aim as it would, it aims again from where its limit put it: of all turns that bring the
  // effector to its target, and of all that it may do, those next to each other are sought by turns. What that does not
  // bring nearer any more, the middle joint helps with, as in cyclic coordinate descent. Returns the rounds, the one
  // before included.
  LISSOM_NOINLINE L finish() {
    L rounds = L(1);
    const bool is_free = limit(root_).kind == LimitKind::kNone && limit(middle_).kind != LimitKind::kCone;
    if (is_free || chains_.batch.max_iterations <= 1) return rounds;
    const L tolerance = L(chains_.batch.tolerance) * chains_.effectors[e_].length;
    L best = residual();
    Quat<L> best_root = root().local, best_middle = middle().local;
    Mask<T> is_busy = best > tolerance, moves_middle = L(0) != L(0);
    for (std::int32_t i = 1; i < chains_.batch.max_iterations && any(is_busy); ++i) {
      const Vec3<L> from_middle = rotate(limb_frame(), rotate(middle().local, end().offset));
      const Quat<L> kept = middle().local;
      point(middle_, from_middle, to_target_ - rotate(limb_frame(), upper_));
      middle().local = select(moves_middle, middle().local, kept);
      point(root_, effector_from_root(), to_target_);
      const L now = residual();
      rounds = select(is_busy, rounds + L(1), rounds);
      const Mask<T> is_better = is_busy & (now < best), is_slow = !(now < L(T(kSlow)) * best);
      best = select(is_better, now, best);
      best_root = select(is_better, root().local, best_root);
      best_middle = select(is_better, middle().local, best_middle);
      is_busy = is_busy & (now > tolerance) & !(is_slow & moves_middle);
      moves_middle = moves_middle | is_slow;
    }
    root().local = best_root, middle().local = best_middle;
    return rounds;
  }

  ChainLanes<T>& chains_;
  const TwoBoneOptions<T>& options_;
  std::size_t e_, root_, middle_, end_;
  Quat<L> above_;                  // that the root turns in
  Vec3<L> upper_;                  // from root to middle, limb frame
  L upper_length_, lower_length_;  // of the two bones
  L size_;                         // both
  Vec3<L> to_target_;              // from the root
  Vec3<L> axis_;                   // that the middle joint bends about, unit, limb frame
};

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, const TwoBoneOptions<T>& options, std::size_t begin,
           std::size_t end, void* scratch) {
  using L = Lanes<T>;
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) {
    L rounds = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      rounds = max(rounds, Limb<T>(chains, options, e).solve());
    }
    if (batch.orientations) {
      chains.compose();
      chains.orient_effectors();
    }
    return rounds;
  });
}

}  // namespace

extern const TwoBoneKernels two_bone_kernels;
const TwoBoneKernels two_bone_kernels = {{&solve<float>, &ChainLanes<float>::scratch_bytes},
                                         LISSOM_DOUBLES(&solve<double>, &ChainLanes<double>::scratch_bytes)};

}  // namespace lissom::LISSOM_ISA
