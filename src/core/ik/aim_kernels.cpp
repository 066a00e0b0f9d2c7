// SPDX-License-Identifier: MIT
#include "core/ik/aim_kernels.h"

#include "core/ik/chain_groups.h"
#include "core/ik/rotations.h"

namespace lissom::LISSOM_ISA {
namespace {

// A pole nearer to the ray than this, as a sine, is followed in part.
constexpr double kOnLine = 0.05;
// What has no direction: lengths below this many units of the last place of those at hand.
constexpr double kPlaces = 64;
// Half an angle by which up may be beside the pole where the input pose looks as it is asked to already, radians.
constexpr double kRolled = 5e-4;
// Iteration has converged where the residual after a round is more than this share of the one before.
constexpr double kConverged = 0.999;

// The ray of the effector and its up direction, all in the base: they move with the joints that rotate.
template <class L>
struct Gaze {
  Vec3<L> origin, axis, up;
};

// The single chain of a group, whose nodes stand in order from root to effector.
template <class T>
class Aim {
 public:
  using L = Lanes<T>;
  LISSOM_INLINE Aim(ChainLanes<T>& chains, const AimOptions<T>& options)
      : chains_(chains), options_(options), count_(chains.plan.node_count) {
    const Vec3<L> scale = scale_of_effector();
    origin_joint_ = scale * broadcast<T>(options_.offset);
    axis_joint_ = normalized(scale * broadcast<T>(options_.axis));
    up_joint_ = has_up() ? normalized(scale * broadcast<T>(options_.up)) : axis_joint_;
  }

  LISSOM_INLINE L solve() {
    if (has_up()) load_pole();
    pole_given_base_ = has_up() ? pole_base_ : Vec3<L>{L(0), L(0), L(0)};
    chains_.compose();
    is_aimed_before_ = is_aimed_before();
    attenuate_behind();
    distribute();
    return iterate_within_limits();
  }

  // The distance of the target from the ray, model units; the effector's `chain_length` becomes that of the target.
  LISSOM_INLINE void measure() {
    const Gaze<L> gaze = gaze_base();
    const EffectorLanes<T>& effector = chains_.effectors[0];
    chains_.effectors[0].residual = distance_from_ray(gaze, effector.target_base);
    chains_.effectors[0].chain_length = length_in_model(effector.target_base - end().position_base);
  }

  // Of the first `count` lanes, once they are measured.
  LISSOM_INLINE void store_signs(int count) const {
    const Gaze<L> gaze = gaze_base();
    const Vec3<L> to_target_base = chains_.effectors[0].target_base - end().position_base,
                  origin_base = gaze.origin - end().position_base;
    const Vec3<L> off_line_base = perpendicular_part(origin_base, gaze.axis);
    const L distance = length(to_target_base);
    const Mask<T> is_near = dot(off_line_base, off_line_base) > distance * distance * L(T(1 + 1e-3)),
                  has_no_up =
                      has_up() ? up_sine(gaze, direction(to_target_base)) < L(T(kOnLine)) : L(0) != L(0);
    const auto sign = [](const Mask<T>& is_so, AimSign value)
                          LISSOM_LAMBDA_INLINE { return select(is_so, L(T(value)), L(0)); };
    const L signs = sign(is_aimed_before_, kAimedBefore) + sign(has_no_up, kNoUpThere) +
                    sign(is_near, kTargetTooNear) + sign(is_behind_, kTargetBehind);
    for (int lane = 0; lane < count; ++lane) {
      options_.signs[chains_.items[lane]] = static_cast<std::uint8_t>(signs.v[lane]);
    }
  }

 private:
  // How far up and the pole as given are from a line, a unit vector, as the lesser sine.
  LISSOM_INLINE L up_sine(const Gaze<L>& gaze, const Vec3<L>& line_base) const {
    return min(length(perpendicular_part(gaze.up, line_base)),
               length(perpendicular_part(pole_given_base_, line_base)));
  }

  LISSOM_INLINE Mask<T> is_aimed_before() const {
    const Gaze<L> gaze = gaze_base();
    const Vec3<L> target_base = chains_.effectors[0].target_base,
                  to_target_base = target_base - end().position_base;
    const L tolerance = L(chains_.batch.tolerance);
    const Mask<T> looks = distance_from_ray(gaze, target_base) <= tolerance * length_in_model(to_target_base);
    if (!has_up()) return looks;
    const Quat<L> roll = roll_base(gaze.up, direction(to_target_base));
    return looks & (dot(roll.vector(), roll.vector()) <= L(T(kRolled * kRolled)));
  }

  LISSOM_INLINE bool has_up() const {
    return options_.up[0] != 0 || options_.up[1] != 0 || options_.up[2] != 0;
  }
  LISSOM_INLINE NodeLanes<T>& end() const { return chains_.nodes[count_ - 1]; }
  LISSOM_INLINE L length_in_model(const Vec3<L>& v_base) const {
    return length(chains_.plan.ancestor_count ? transform_vector(chains_.model_from_base, v_base) : v_base);
  }

  LISSOM_INLINE void load_pole() {
    Vec3<L>& pole = pole_base_;  // in the model at first
    for (int lane = 0; lane < L::kCount; ++lane) {
      const T* from = options_.poles + chains_.items[lane] * options_.pole_step;
      pole.x.v[lane] = from[0], pole.y.v[lane] = from[1], pole.z.v[lane] = from[2];
    }
    if (chains_.plan.ancestor_count) pole = transform_vector(inverse(chains_.model_from_base), pole);
    pole = direction(pole);
  }

  // The accumulated scale in the effector's frame, its own included.
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

  LISSOM_INLINE Gaze<L> gaze_base() const {
    return {end().position_base + rotate(end().base_from_joint, origin_joint_),
            rotate(end().base_from_joint, axis_joint_), rotate(end().base_from_joint, up_joint_)};
  }

  LISSOM_INLINE L distance_from_ray(const Gaze<L>& gaze, const Vec3<L>& target_base) const {
    const bool is_plain = !chains_.plan.ancestor_count;
    const Vec3<L> to_target_base = target_base - gaze.origin;
    const Vec3<L> to_target_model =
        is_plain ? to_target_base : transform_vector(chains_.model_from_base, to_target_base);
    const Vec3<L> axis_model =
        is_plain ? gaze.axis : normalized(transform_vector(chains_.model_from_base, gaze.axis));
    return length(to_target_model - max(dot(to_target_model, axis_model), L(0)) * axis_model);
  }

  // Where the ray meets the sphere of radius `distance` about the pivot, on which the target lies; where it does not,
  // its point nearest to that. Relative to the pivot.
  LISSOM_INLINE Vec3<L> sphere_hit_base(const Gaze<L>& gaze, const Vec3<L>& pivot_base,
                                        const L& distance) const {
    const Vec3<L> origin_base = gaze.origin - pivot_base;
    const L projection = dot(origin_base, gaze.axis);
    const Vec3<L> perpendicular_base = origin_base - projection * gaze.axis;
    const L on_ray =
        sqrt(max(distance * distance - dot(perpendicular_base, perpendicular_base), L(0))) - projection;
    return origin_base + max(on_ray, L(0)) * gaze.axis;
  }

  // The shortest rotation to a target behind changes sides there, and so do the shares of it that joints take. So the
  // nearer the whole rotation is to half a turn, the more target and pole are moved to where the effector points
  // already.
  LISSOM_INLINE void attenuate_behind() {
    target_base_ = chains_.effectors[0].target_base;
    if (options_.behind <= 0) return;
    const Gaze<L> gaze = gaze_base();
    const Vec3<L> pivot_base = end().position_base;
    const L distance = length(target_base_ - pivot_base);
    const Quat<L> whole_base = free_rotation_base(count_ - 1, gaze, has_up());
    const L near = min(2 * whole_base.w * whole_base.w * lanes_of<T>(1 / options_.behind),
                       L(1));  // 2 w^2 = 1 + cos(angle)
    const Mask<T> is_ahead = near >= L(1);
    is_behind_ = !is_ahead;
    if (!any(!is_ahead)) return;
    const L share = near * near * (3 - 2 * near);
    const Quat<L> part_base = slerp(Quat<L>::identity(), whole_base, share);
    const Vec3<L> hit_base = sphere_hit_base(gaze, pivot_base, distance);
    const L size = length(hit_base);
    const Vec3<L> hit_direction_base = direction_or(hit_base, size, least_length(distance), gaze.axis);
    target_base_ =
        select(is_ahead, target_base_, pivot_base + distance * rotate(part_base, hit_direction_base));
    if (!has_up()) return;
    const Vec3<L> up_base = rotate(part_base, gaze.up),
                  blended_base = share * pole_base_ + (1 - share) * up_base;
    pole_base_ = select(is_ahead, pole_base_,
                        direction_or(blended_base, length(blended_base), lanes_of<T>(1e-3), up_base));
  }
  LISSOM_INLINE L least_length(const L& size) const {
    return L(T(kPlaces) * Limits<T>::kEpsilon) * size + L(Limits<T>::kSmallest);
  }

  // The rotation of node `i` about its own position that has the ray meet the target; with `rolls`, then about the line
  // to the target until up points to the pole.
  LISSOM_NOINLINE Quat<L> free_rotation_base(std::size_t i, const Gaze<L>& gaze, bool rolls) const {
    const Vec3<L> pivot_base = chains_.nodes[i].position_base, to_target_base = target_base_ - pivot_base;
    const L distance = length(to_target_base);
    const Vec3<L> hit_base = sphere_hit_base(gaze, pivot_base, distance);
    const L size = length(hit_base), least = least_length(length(gaze.origin - pivot_base) + distance);
    const Vec3<L> hit_direction_base = direction_or(hit_base, size, least, gaze.axis);
    const Vec3<L> target_direction_base = direction_or(to_target_base, distance, least, hit_direction_base);
    const Vec3<L> bend_axis_base =
        rotate(chains_.nodes[i].base_from_joint,
               chains_.axis_in_mirror(i, broadcast<T>(chains_.plan.nodes[i].bend_axis_joint)));
    const Quat<L> swing_base = rotation_between(hit_direction_base, target_direction_base, bend_axis_base);
    const Quat<L> whole_base =
        rolls ? roll_base(rotate(swing_base, gaze.up), target_direction_base) * swing_base : swing_base;
    return select((size <= least) | (distance <= least), Quat<L>::identity(), whole_base);
  }

  // The same about the axis of a hinge, where the node has one.
  LISSOM_INLINE Quat<L> rotation_base(std::size_t i, const Gaze<L>& gaze, bool rolls) const {
    const IkNode& node = chains_.plan.nodes[i];
    if (node.limit.kind != LimitKind::kHinge) return free_rotation_base(i, gaze, rolls);
    const Vec3<L> pivot_base = chains_.nodes[i].position_base, to_target_base = target_base_ - pivot_base;
    const Vec3<L> hit_base = sphere_hit_base(gaze, pivot_base, length(to_target_base)),
                  z_axis = {L(0), L(0), L(1)};
    const Vec3<L> hinge_base =
        rotate(chains_.base_from_parent(i),
               chains_.axis_in_mirror(i, rotate(broadcast<T>(node.limit.parent_from_limit), z_axis)));
    const Vec3<L> from_base = perpendicular_part(hit_base, hinge_base),
                  to_base = perpendicular_part(to_target_base, hinge_base);
    const Mask<T> is_lost = min(length(from_base), length(to_base)) <=
                            least_length(length(gaze.origin - pivot_base) + length(to_target_base));
    return select(
        is_lost, Quat<L>::identity(),
        rotation_about(hinge_base, dot(cross(from_base, to_base), hinge_base), dot(from_base, to_base)));
  }

  // The rotation about a line, a unit vector, that brings up as near to the pole as it can.
  LISSOM_INLINE Quat<L> roll_base(const Vec3<L>& up_base, const Vec3<L>& line_base) const {
    const Vec3<L> from_base = perpendicular_part(up_base, line_base),
                  to_base = perpendicular_part(pole_base_, line_base);
    const AboutZ<L> half =
        rotation_about_z(dot(cross(from_base, to_base), line_base), dot(from_base, to_base));
    const L sine = min(length(from_base), length(to_base)),
            share = min(sine * lanes_of<T>(1 / kOnLine), L(1));
    const L followed = share * share * (3 - 2 * share);
    return normalized(quat_from((followed * half.z) * line_base, 1 - followed + followed * half.w));
  }

  // Rotates node `i`, which is composed, as far as its limit allows, and the gaze with it.
  LISSOM_INLINE void apply(std::size_t i, const Quat<L>& rotation_base, Mask<T> is_asked, Gaze<L>& gaze) {
    NodeLanes<T>& node = chains_.nodes[i];
    const Quat<L> base_from_parent = chains_.base_from_parent(i);
    const Quat<L> local =
        chains_.clamp(i, normalized(conjugate(base_from_parent) * (rotation_base * node.base_from_joint)));
    node.local = select(is_asked, local, node.local);
    const Quat<L> base_from_joint = base_from_parent * node.local,
                  applied_base = base_from_joint * conjugate(node.base_from_joint);
    gaze = {node.position_base + rotate(applied_base, gaze.origin - node.position_base),
            rotate(applied_base, gaze.axis), rotate(applied_base, gaze.up)};
    node.base_from_joint = base_from_joint;
  }

  // From root to effector, each joint its fraction of the rotation that is left.
  LISSOM_INLINE void distribute() {
    Gaze<L> gaze = gaze_base();
    const Mask<T> all = L(0) == L(0);
    for (std::size_t i = 0; i < count_; ++i) {
      chains_.compose_node(i);
      const double fraction = options_.fractions[i];
      if (fraction <= 0) continue;
      const Quat<L> whole_base = rotation_base(i, gaze, has_up());
      apply(i, fraction < 1 ? slerp(Quat<L>::identity(), whole_base, lanes_of<T>(fraction)) : whole_base, all,
            gaze);
    }
  }

  // What limits withheld, or shares of zero at the end: from effector to root, each joint takes all that is left.
  // Returns the rounds, the one before included.
  LISSOM_NOINLINE L iterate_within_limits() {
    L rounds = L(1);
    bool is_free = options_.fractions[count_ - 1] > 0;
    for (std::size_t i = 0; i < count_; ++i) is_free &= chains_.plan.nodes[i].limit.kind == LimitKind::kNone;
    if (is_free) return rounds;
    chains_.compose();
    Gaze<L> gaze = gaze_base();
    const L tolerance =
        L(chains_.batch.tolerance) * length_in_model(chains_.effectors[0].target_base - end().position_base);
    L best = distance_from_ray(gaze, target_base_);
    for (std::size_t i = 0; i < count_; ++i) chains_.nodes[i].best = chains_.nodes[i].local;
    Mask<T> is_busy = best > tolerance;
    for (std::int32_t round = 1; round < chains_.batch.max_iterations && any(is_busy); ++round) {
      for (std::size_t i = count_; i-- > 0;) {
        if (options_.fractions[i] <= 0) continue;
        apply(i, rotation_base(i, gaze, false), is_busy, gaze);
      }
      chains_.compose();
      gaze = gaze_base();
      rounds = select(is_busy, rounds + L(1), rounds);
      const L distance = distance_from_ray(gaze, target_base_);
      const Mask<T> is_better = is_busy & (distance < best);
      is_busy = is_better & (distance > tolerance) & (distance < L(T(kConverged)) * best);
      best = select(is_better, distance, best);
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
  Vec3<L> origin_joint_, axis_joint_, up_joint_;  // of the effector, scaled: axis and up unit
  Vec3<L> pole_base_;                             // unit
  Vec3<L> target_base_;                           // attenuated
  Vec3<L> pole_given_base_;                       // not attenuated; zero without up
  Mask<T> is_aimed_before_ = L(0) != L(0), is_behind_ = L(0) != L(0);
};

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, const AimOptions<T>& options, std::size_t begin,
           std::size_t end, void* scratch) {
  for_each_loaded_group<T>(plan, batch, begin, end, scratch,
                           [&](ChainLanes<T>& chains, int count) LISSOM_LAMBDA_INLINE {
                             Aim<T> aim(chains, options);
                             const Lanes<T> rounds = aim.solve();
                             chains.store_poses(count);
                             aim.measure();
                             aim.store_signs(count);
                             chains.store_report(rounds, count);
                           });
}

}  // namespace

extern const AimKernels aim_kernels;
const AimKernels aim_kernels = {{&solve<float>, &ChainLanes<float>::scratch_bytes},
                                LISSOM_DOUBLES(&solve<double>, &ChainLanes<double>::scratch_bytes)};

}  // namespace lissom::LISSOM_ISA
