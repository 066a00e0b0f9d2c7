// SPDX-License-Identifier: MIT
#include "core/ik/aim_kernels.h"

#include "core/ik/chain_lanes.h"
#include "core/ik/turns.h"

namespace lissom::LISSOM_ISA {
namespace {

// A pole nearer to the line of sight than this, as a sine, is followed bit by bit.
constexpr double kOnLine = 0.05;
// What has no direction: lengths below this many units of the last place of those at hand.
constexpr double kPlaces = 64;
// A round that leaves more of the residual than this brings nothing.
constexpr double kSlow = 0.999;

// A ray and what is up, carried along by the joints that turn. In the base.
template <class L>
struct Gaze {
  Vec3<L> eye, axis, up;
};

// The chain of a group, all of whose nodes stand on the way from root to effector.
template <class T>
class Aim {
 public:
  using L = Lanes<T>;
  LISSOM_INLINE Aim(ChainLanes<T>& chains, const AimOptions<T>& options)
      : chains_(chains), options_(options), count_(chains.plan.node_count) {
    const Vec3<L> scale = scale_of_effector();
    eye_ = scale * broadcast<T>(options_.offset);
    axis_ = normalized(scale * broadcast<T>(options_.axis));
    up_ = has_up() ? normalized(scale * broadcast<T>(options_.up)) : axis_;
  }

  LISSOM_INLINE L solve() {
    if (has_up()) load_pole();
    chains_.compose();
    ease();
    share();
    return make_up();
  }

  // The distance of the target from the ray, model units; what the effector's `length` says is that of the target.
  LISSOM_INLINE void measure() {
    const Gaze<L> gaze = now();
    const EffectorLanes<T>& effector = chains_.effectors[0];
    chains_.effectors[0].residual = from_ray(gaze, effector.target);
    chains_.effectors[0].length = in_model(effector.target - end().position);
  }

 private:
  LISSOM_INLINE bool has_up() const {
    return options_.up[0] != 0 || options_.up[1] != 0 || options_.up[2] != 0;
  }
  LISSOM_INLINE NodeLanes<T>& end() const { return chains_.nodes[count_ - 1]; }
  LISSOM_INLINE L in_model(const Vec3<L>& way) const {
    return length(chains_.plan.ancestor_count ? transform_vector(chains_.model_from_base, way) : way);
  }

  LISSOM_INLINE void load_pole() {
    for (int lane = 0; lane < L::kCount; ++lane) {
      const T* from = options_.poles + chains_.items[lane] * options_.pole_step;
      pole_.x.v[lane] = from[0], pole_.y.v[lane] = from[1], pole_.z.v[lane] = from[2];
    }
    if (chains_.plan.ancestor_count) pole_ = transform_vector(inverse(chains_.model_from_base), pole_);
    pole_ = direction(pole_);
  }

  // Of what is fixed in the effector's frame, its own included.
  LISSOM_INLINE Vec3<L> scale_of_effector() const {
    const T* poses[L::kCount];
    chains_.point_at(chains_.batch.poses, chains_.batch.pose_step, poses);
    Vec3<L> scale = {L(1), L(1), L(1)};
    for (std::size_t i = 0; i < count_; ++i) {
      const IkNode& node = chains_.plan.nodes[i];
      for (std::int32_t k = node.between_begin; k < node.between_end; ++k) {
        scale = scale * load_joint<T>(poses, static_cast<std::size_t>(chains_.plan.between[k])).scale;
      }
      scale = scale * load_joint<T>(poses, static_cast<std::size_t>(node.joint)).scale;
    }
    return scale;
  }

  LISSOM_INLINE Gaze<L> now() const {
    return {end().position + rotate(end().frame, eye_), rotate(end().frame, axis_), rotate(end().frame, up_)};
  }

  LISSOM_INLINE L from_ray(const Gaze<L>& gaze, const Vec3<L>& target) const {
    const bool is_plain = !chains_.plan.ancestor_count;
    const Vec3<L> way = target - gaze.eye;
    const Vec3<L> to = is_plain ? way : transform_vector(chains_.model_from_base, way);
    const Vec3<L> axis =
        is_plain ? gaze.axis : normalized(transform_vector(chains_.model_from_base, gaze.axis));
    return length(to - max(dot(to, axis), L(0)) * axis);
  }

  // Where the ray meets the sphere about `pivot` on which the target lies; where it does not, its point nearest to that.
  // Relative to the pivot.
  LISSOM_INLINE Vec3<L> meets(const Gaze<L>& gaze, const Vec3<L>& pivot, const L& distance) const {
    const Vec3<L> offset = gaze.eye - pivot;
    const L along = dot(offset, gaze.axis);
    const Vec3<L> beside = offset - along * gaze.axis;
    const L on_line = sqrt(max(distance * distance - dot(beside, beside), L(0))) - along;
    return offset + max(on_line, L(0)) * gaze.axis;
  }

  // The shortest way to what lies behind changes sides there, and so do the parts of it that joints take. So the nearer
  // the whole turn is to half a circle, the more target and pole are drawn to where the effector has them already.
  LISSOM_INLINE void ease() {
    target_ = chains_.effectors[0].target;
    if (options_.behind <= 0) return;
    const Gaze<L> gaze = now();
    const Vec3<L> pivot = end().position;
    const L distance = length(target_ - pivot);
    const Quat<L> whole = free_turn(count_ - 1, gaze, has_up());
    const L near =
        min(2 * whole.w * whole.w * lanes_of<T>(1 / options_.behind), L(1));  // 2 w^2 = 1 + cos(angle)
    const Mask<T> is_ahead = near >= L(1);
    if (!any(!is_ahead)) return;
    const L share = near * near * (3 - 2 * near);
    const Quat<L> part = slerp(Quat<L>::identity(), whole, share);
    const Vec3<L> from = meets(gaze, pivot, distance);
    const L size = length(from);
    const Vec3<L> unit_from = direction_or(from, size, few(distance), gaze.axis);
    target_ = select(is_ahead, target_, pivot + distance * rotate(part, unit_from));
    if (!has_up()) return;
    const Vec3<L> up = rotate(part, gaze.up), mixed = share * pole_ + (1 - share) * up;
    pole_ = select(is_ahead, pole_, direction_or(mixed, length(mixed), lanes_of<T>(1e-3), up));
  }
  LISSOM_INLINE L few(const L& size) const {
    return L(T(kPlaces) * Limits<T>::kEpsilon) * size + L(Limits<T>::kSmallest);
  }

  // The turn of node `i` about its own position that has the gaze meet the target; with `rolls`, then about the line to
  // it until up points to the pole.
  LISSOM_NOINLINE Quat<L> free_turn(std::size_t i, const Gaze<L>& gaze, bool rolls) const {
    const Vec3<L> pivot = chains_.nodes[i].position, way = target_ - pivot;
    const L distance = length(way);
    const Vec3<L> from = meets(gaze, pivot, distance);
    const L size = length(from), least = few(length(gaze.eye - pivot) + distance);
    const Vec3<L> unit_from = direction_or(from, size, least, gaze.axis);
    const Vec3<L> unit_to = direction_or(way, distance, least, unit_from);
    const Vec3<L> bend = rotate(chains_.nodes[i].frame,
                                chains_.axis_in_mirror(i, broadcast<T>(chains_.plan.nodes[i].bend_axis)));
    const Quat<L> turn = turn_to(unit_from, unit_to, bend);
    const Quat<L> whole = rolls ? roll(rotate(turn, gaze.up), unit_to) * turn : turn;
    return select((size <= least) | (distance <= least), Quat<L>::identity(), whole);
  }

  // The same about the axis of a hinge, where the node has one.
  LISSOM_INLINE Quat<L> turn_of(std::size_t i, const Gaze<L>& gaze, bool rolls) const {
    const IkNode& node = chains_.plan.nodes[i];
    if (node.limit.kind != LimitKind::kHinge) return free_turn(i, gaze, rolls);
    const Vec3<L> pivot = chains_.nodes[i].position, way = target_ - pivot;
    const Vec3<L> from = meets(gaze, pivot, length(way)), z_axis = {L(0), L(0), L(1)};
    const Vec3<L> hinge = rotate(chains_.frame_above(i),
                                 chains_.axis_in_mirror(i, rotate(broadcast<T>(node.limit.before), z_axis)));
    const Vec3<L> a = across(from, hinge), b = across(way, hinge);
    const Mask<T> is_lost = min(length(a), length(b)) <= few(length(gaze.eye - pivot) + length(way));
    return select(is_lost, Quat<L>::identity(), turn_about(hinge, dot(cross(a, b), hinge), dot(a, b)));
  }

  LISSOM_INLINE Quat<L> roll(const Vec3<L>& up, const Vec3<L>& line) const {
    const Vec3<L> a = across(up, line), b = across(pole_, line);
    const AboutZ<L> half = half_of_turn(dot(cross(a, b), line), dot(a, b));
    const L sine = min(length(a), length(b)), share = min(sine * lanes_of<T>(1 / kOnLine), L(1));
    const L followed = share * share * (3 - 2 * share);
    return normalized(quat_from((followed * half.z) * line, 1 - followed + followed * half.w));
  }

  // Turns node `i`, which is composed, as far as its limit lets it, and the gaze with it.
  LISSOM_INLINE void turn(std::size_t i, const Quat<L>& by, Mask<T> is_asked, Gaze<L>& gaze) {
    NodeLanes<T>& node = chains_.nodes[i];
    const Quat<L> above = chains_.frame_above(i);
    const Quat<L> local = chains_.clamp(i, normalized(conjugate(above) * (by * node.frame)));
    node.local = select(is_asked, local, node.local);
    const Quat<L> frame = above * node.local, turned = frame * conjugate(node.frame);
    gaze = {node.position + rotate(turned, gaze.eye - node.position), rotate(turned, gaze.axis),
            rotate(turned, gaze.up)};
    node.frame = frame;
  }

  // Root to effector, each its part of what is left.
  LISSOM_INLINE void share() {
    Gaze<L> gaze = now();
    const Mask<T> all = L(0) == L(0);
    for (std::size_t i = 0; i < count_; ++i) {
      chains_.compose_node(i);
      const double fraction = options_.fractions[i];
      if (fraction <= 0) continue;
      const Quat<L> whole = turn_of(i, gaze, has_up());
      turn(i, fraction < 1 ? slerp(Quat<L>::identity(), whole, lanes_of<T>(fraction)) : whole, all, gaze);
    }
  }

  // What limits, or shares of nothing at the end, withheld: effector to root, each all that is left. Returns the rounds.
  LISSOM_NOINLINE L make_up() {
    L rounds = L(1);
    bool is_free = options_.fractions[count_ - 1] > 0;
    for (std::size_t i = 0; i < count_; ++i) is_free &= chains_.plan.nodes[i].limit.kind == LimitKind::kNone;
    if (is_free) return rounds;
    chains_.compose();
    Gaze<L> gaze = now();
    const L allowed = L(chains_.batch.tolerance) * in_model(chains_.effectors[0].target - end().position);
    L best = from_ray(gaze, target_);
    for (std::size_t i = 0; i < count_; ++i) chains_.nodes[i].best = chains_.nodes[i].local;
    Mask<T> is_busy = best > allowed;
    for (std::int32_t round = 1; round < chains_.batch.max_iterations && any(is_busy); ++round) {
      for (std::size_t i = count_; i-- > 0;) {
        if (options_.fractions[i] <= 0) continue;
        turn(i, turn_of(i, gaze, false), is_busy, gaze);
      }
      chains_.compose();
      gaze = now();
      rounds = select(is_busy, rounds + L(1), rounds);
      const L left = from_ray(gaze, target_);
      const Mask<T> is_better = is_busy & (left < best);
      is_busy = is_better & (left > allowed) & (left < L(T(kSlow)) * best);
      best = select(is_better, left, best);
      for (std::size_t i = 0; i < count_; ++i) {
        chains_.nodes[i].best = select(is_better, chains_.nodes[i].local, chains_.nodes[i].best);
      }
    }
    for (std::size_t i = 0; i < count_; ++i) chains_.nodes[i].local = chains_.nodes[i].best;
    return rounds;
  }

  ChainLanes<T>& chains_;
  const AimOptions<T>& options_;
  std::size_t count_;
  Vec3<L> eye_, axis_, up_;  // in the effector's frame, scaled: axis and up unit
  Vec3<L> pole_;             // unit
  Vec3<L> target_;           // that is aimed at
};

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, const AimOptions<T>& options, std::size_t begin,
           std::size_t end, void* scratch) {
  for_each_group<T>(
      plan, batch, begin, end, scratch,
      [&](ChainLanes<T>& chains) { return Aim<T>(chains, options).solve(); },
      [&](ChainLanes<T>& chains) { Aim<T>(chains, options).measure(); });
}

}  // namespace

extern const AimKernels aim_kernels;
const AimKernels aim_kernels = {{&solve<float>, &ChainLanes<float>::scratch_bytes},
                                LISSOM_DOUBLES(&solve<double>, &ChainLanes<double>::scratch_bytes)};

}  // namespace lissom::LISSOM_ISA
