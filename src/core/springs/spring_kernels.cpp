// SPDX-License-Identifier: MIT
#include "core/springs/spring_kernels.h"

#include "core/ik/chain_groups.h"
#include "core/ik/joint_lanes.h"
#include "core/math/directions.h"
#include "core/springs/springs.h"

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

// v / |v|, or `other` where v has no direction.
template <class L>
LISSOM_INLINE Vec3<L> unit_or(const Vec3<L>& v, const Vec3<L>& other) {
  const L size = length(v);
  const auto has_direction = size > L(Limits<L>::kSmallest);
  const L divisor = select(has_direction, size, L(1));
  return select(has_direction, Vec3<L>{v.x / divisor, v.y / divisor, v.z / divisor}, other);
}

// As many characters as a vector has lanes.
template <class T>
class Group {
 public:
  using L = Lanes<T>;
  struct Shape {  // of a collider, in model space
    Vec3<L> place, axis;
  };
  struct Tail {
    Vec3<L> now, before;
  };
  static std::size_t scratch_bytes(const SpringPlan& plan) {
    return 2 * plan.joints.size() * sizeof(Affine<L>) + plan.colliders.size() * sizeof(Shape) +
           plan.springs.size() * sizeof(Tail);
  }

  LISSOM_INLINE Group(const SpringPlan& plan, const SpringBatch<T>& batch, void* scratch)
      : plan_(plan), batch_(batch), to_model_(static_cast<Affine<L>*>(scratch)) {
    from_model_ = to_model_ + plan.joints.size();
    shapes_ = reinterpret_cast<Shape*>(from_model_ + plan.joints.size());
    tails_ = reinterpret_cast<Tail*>(shapes_ + plan.colliders.size());
  }

  // Characters [first, first + count), count at most the lanes; idle lanes repeat the last.
  LISSOM_INLINE SpringFault step(std::size_t first, std::size_t count) {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(L::kCount); ++lane)
      items_[lane] = first + (lane < count ? lane : count - 1);
    if (batch_.start) load_tails();
    for (std::size_t frame = 0; frame < batch_.frames; ++frame) {
      load_motion(frame);
      for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
        if (!place(frame, i)) return fault_;
      }
    }
    store_tails();
    return {};
  }

 private:
  // ---- Input. ----

  LISSOM_NOINLINE void load_tails() {
    for (std::size_t k = 0; k < plan_.springs.size(); ++k) {
      L n[6];
      load_rows<6>([&](int lane) LISSOM_LAMBDA_INLINE { return batch_.start + at_tail(lane, k); }, n);
      tails_[k] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    }
  }
  LISSOM_INLINE std::size_t at_tail(int lane, std::size_t spring) const {
    return (items_[lane] * plan_.springs.size() + spring) * 6;
  }

  LISSOM_NOINLINE void load_motion(std::size_t frame) {
    starts_ = !batch_.start && frame == 0;
    for (int lane = 0; lane < L::kCount; ++lane) {
      const std::size_t item = frame * batch_.characters + items_[lane];
      poses_[lane] = batch_.poses + item * plan_.joint_count * kTrsScalars;
    }
    if (batch_.moves) {
      L n[7];
      load_rows<7>(
          [&](int lane)
              LISSOM_LAMBDA_INLINE { return batch_.moves + (frame * batch_.characters + items_[lane]) * 7; },
          n);
      move_ = affine_from(mat3_from(Quat<L>{n[3], n[4], n[5], n[6]}), Vec3<L>{n[0], n[1], n[2]});
    }
    if (batch_.turns) {
      L n[4];
      load_rows<4>(
          [&](int lane)
              LISSOM_LAMBDA_INLINE { return batch_.turns + (frame * batch_.characters + items_[lane]) * 4; },
          n);
      model_from_world_ = Quat<L>{-n[0], -n[1], -n[2], n[3]};
    }
  }

  // ---- A frame. ----

  // The transform of a joint, which is turned first if it springs, and of what it carries. False where its row of the
  // pose is wrong.
  LISSOM_NOINLINE bool place(std::size_t frame, std::size_t index) {
    const SpringPlan::Joint& joint = plan_.joints[index];
    Trs<L> local = load_joint<T>(poses_, static_cast<std::size_t>(joint.joint));
    if (!is_fine(local, frame, joint.joint)) return false;
    const Affine<L>* parent = joint.parent < 0 ? nullptr : to_model_ + joint.parent;
    if (joint.spring >= 0) {
      local.rotation = swung(static_cast<std::size_t>(joint.spring), parent, local);
      store_rotation(frame, static_cast<std::size_t>(joint.spring), local.rotation);
    }
    const Affine<L>& placed = to_model_[index] = parent ? *parent * affine_from(local) : affine_from(local);
    if (joint.is_center) from_model_[index] = inverse(placed);
    for (const std::int32_t number : joint.colliders) {
      const SpringCollider& collider = plan_.colliders[static_cast<std::size_t>(number)];
      const Vec3<L> axis = vector<T>(collider.axis);
      shapes_[number] = {transform_point(placed, vector<T>(collider.offset)),
                         collider.kind == ColliderKind::kPlane ? normal_in_model(placed, axis)
                                                               : transform_vector(placed, axis)};
    }
    return true;
  }

  LISSOM_INLINE bool is_fine(const Trs<L>& trs, std::size_t frame, std::int32_t joint) {
    const L excess = abs(dot(trs.rotation, trs.rotation) - L(1));
    const L sum =
        trs.translation.x + trs.translation.y + trs.translation.z + trs.scale.x + trs.scale.y + trs.scale.z;
    const Mask<T> fine = (excess <= number<T>(kUnit)) & (sum - sum == L(0));
    if (__builtin_expect(any(!fine), false)) {
      for (int lane = 0; lane < L::kCount && fault_.joint < 0; ++lane)
        if (!fine.bits[lane]) fault_ = {frame, items_[lane], joint};
      return false;
    }
    return true;
  }

  // Planes turn with the inverse transpose: the cofactors, with a sign where the joint is mirrored.
  LISSOM_INLINE static Vec3<L> normal_in_model(const Affine<L>& placed, const Vec3<L>& normal) {
    const Mat3<L> linear = placed.linear();
    return unit_or(copysign(L(1), determinant(linear)) * (cofactor(linear) * normal),
                   Vec3<L>{L(0), L(0), L(0)});
  }

  // The rotation of a joint that springs; its tail goes on by a step.
  LISSOM_NOINLINE Quat<L> swung(std::size_t number_of_spring, const Affine<L>* parent, const Trs<L>& local) {
    const SpringJoint& spring = plan_.springs[number_of_spring];
    const double* r = spring.rest;
    const Quat<L> rest = spring.follows
                             ? local.rotation
                             : Quat<L>{number<T>(r[0]), number<T>(r[1]), number<T>(r[2]), number<T>(r[3])};
    Mat3<L> linear = mat3_from(rest);  // model space from the joint at rest, without its own scale
    Vec3<L> head = local.translation;
    if (parent) linear = parent->linear() * linear, head = transform_point(*parent, head);
    const Vec3<L> tail_joint = local.scale * vector<T>(spring.tail);
    const Vec3<L> bone = linear * tail_joint;
    const L size = length(bone);
    const Vec3<L> zero = {L(0), L(0), L(0)}, axis = unit_or(bone, zero);
    Tail& tail = tails_[number_of_spring];
    if (starts_) {
      const Vec3<L> rests = head + bone;
      tail.now = tail.before = spring.center < 0 ? rests : transform_point(from_model_[spring.center], rests);
      return rest;
    }
    const Vec3<L> next = stepped(spring, tail, head, size, axis);
    const Mat3<L> back = transpose(cofactor(linear));  // the inverse, up to its size and sign
    const Vec3<L> from = unit_or(tail_joint, zero);
    const Vec3<L> to = unit_or(copysign(L(1), determinant(linear)) * (back * (next - head)), from);
    const Quat<L> turned = normalized(rest * quat_from_to(from, to));
    // A bone without length has no direction.
    return select(size > L(Limits<L>::kSmallest), turned, rest);
  }

  // Where the tail is after the step, in model space.
  LISSOM_INLINE Vec3<L> stepped(const SpringJoint& spring, Tail& tail, const Vec3<L>& head, const L& size,
                                const Vec3<L>& axis) {
    if (spring.center < 0 && batch_.moves) {
      tail.now = transform_point(move_, tail.now);
      tail.before = transform_point(move_, tail.before);
    }
    const L kept = number<T>(1 - spring.drag);
    Vec3<L> next = tail.now + kept * (tail.now - tail.before);
    if (spring.center >= 0) next = transform_point(to_model_[spring.center], next);
    Vec3<L> gravity = number<T>(kSpringStep) * vector<T>(spring.gravity);
    if (batch_.turns) gravity = rotate(model_from_world_, gravity);
    next = next + number<T>(kSpringStep * spring.stiffness) * axis + gravity;
    next = head + size * unit_or(next - head, axis);
    for (std::int32_t i = 0; i < spring.hit_count; ++i) {
      next = pushed(plan_.hits[static_cast<std::size_t>(spring.first_hit + i)], number<T>(spring.radius),
                    head, size, axis, next);
    }
    tail.before = tail.now;
    tail.now = spring.center < 0 ? next : transform_point(from_model_[spring.center], next);
    return next;
  }

  // A tail out of a collider, at its distance from the head.
  LISSOM_NOINLINE Vec3<L> pushed(std::int32_t hit, const L& radius, const Vec3<L>& head, const L& size,
                                 const Vec3<L>& axis, const Vec3<L>& tail) const {
    const SpringCollider& collider = plan_.colliders[static_cast<std::size_t>(hit)];
    const Shape& shape = shapes_[hit];
    Vec3<L> away = tail - shape.place;
    L distance;
    if (collider.kind == ColliderKind::kPlane) {
      distance = dot(away, shape.axis) - radius;
      away = shape.axis;
    } else {
      if (collider.kind == ColliderKind::kCapsule) {
        const L square = dot(shape.axis, shape.axis), along = dot(shape.axis, away);
        const L divisor = select(square > L(0), square, L(1));
        away = away - min(max(along / divisor, L(0)), L(1)) * shape.axis;
      }
      const L far = length(away), reach = number<T>(collider.radius);
      away = unit_or(away, Vec3<L>{L(0), L(0), L(0)});
      distance = collider.is_inside ? reach - radius - far : far - radius - reach;
      if (collider.is_inside) away = -away;
    }
    const Vec3<L> out = tail - distance * away;
    return select(distance < L(0), head + size * unit_or(out - head, axis), tail);
  }

  // ---- Output. ----

  LISSOM_INLINE void store_rotation(std::size_t frame, std::size_t spring, const Quat<L>& q) const {
    const L columns[4] = {q.x, q.y, q.z, q.w};
    const std::size_t springs = plan_.springs.size();
    store_rows<4>(
        [&](int lane) LISSOM_LAMBDA_INLINE {
          return batch_.rotations + ((frame * batch_.characters + items_[lane]) * springs + spring) * 4;
        },
        columns);
  }

  LISSOM_NOINLINE void store_tails() const {
    for (std::size_t k = 0; k < plan_.springs.size(); ++k) {
      const Tail& tail = tails_[k];
      const L columns[6] = {tail.now.x, tail.now.y, tail.now.z, tail.before.x, tail.before.y, tail.before.z};
      store_rows<6>([&](int lane) LISSOM_LAMBDA_INLINE { return batch_.tails + at_tail(lane, k); }, columns);
    }
  }

  const SpringPlan& plan_;
  const SpringBatch<T>& batch_;
  Affine<L>* to_model_;    // of the joints of the plan
  Affine<L>* from_model_;  // of centers
  Shape* shapes_;
  Tail* tails_;  // in model space, or that of the center
  Affine<L> move_;
  Quat<L> model_from_world_;
  SpringFault fault_;
  bool starts_ = false;
  const T* poses_[L::kCount];
  std::size_t items_[L::kCount];
};

template <class T>
SpringFault step(const SpringPlan& plan, const SpringBatch<T>& batch, std::size_t begin, std::size_t end,
                 void* scratch) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  Group<T> group(plan, batch, scratch);
  for (std::size_t first = begin; first < end; first += kLanes) {
    const SpringFault fault = group.step(first, end - first < kLanes ? end - first : kLanes);
    if (fault.joint >= 0) return fault;
  }
  return {};
}

template <class T>
std::size_t scratch_bytes(const SpringPlan& plan) {
  return Group<T>::scratch_bytes(plan);
}

}  // namespace

extern const SpringKernels spring_kernels;
const SpringKernels spring_kernels = {{&step<float>, &scratch_bytes<float>},
                                      LISSOM_DOUBLES(&step<double>, &scratch_bytes<double>)};

}  // namespace lissom::LISSOM_ISA
