// SPDX-License-Identifier: MIT
#include "core/ik/chain_lanes.h"
#include "core/ik/ik_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

// Rotations may be off their unit length by this much; solvers normalise those that they change.
constexpr double kUnit = 1e-3;

template <class T>
class Checker {
 public:
  using L = Lanes<T>;
  Checker(const IkPlan& plan, const IkBatch<T>& batch) : plan_(plan), batch_(batch) {}

  LISSOM_INLINE IkFaultPlace first(std::size_t begin, std::size_t end) {
    for (; begin < end && place_.fault == IkFault::kNone; begin += L::kCount) {
      for (int lane = 0; lane < L::kCount; ++lane) {
        const std::size_t at = begin + static_cast<std::size_t>(lane);
        items_[lane] = at < end ? at : end - 1;
      }
      look(batch_.poses, batch_.pose_step);
    }
    place_.has_scales = any(Mask<T>{scaled_ != 0});
    return place_;
  }

 private:
  LISSOM_INLINE void look(const T* array, std::size_t step) {
    const T* poses[L::kCount];
    for (int lane = 0; lane < L::kCount; ++lane) poses[lane] = array + items_[lane] * step;
    for (std::size_t i = 0; i < plan_.ancestor_count; ++i) {
      look_at(poses, plan_.ancestors[i], Place::kAbove);
    }
    for (std::size_t i = 0; i < plan_.node_count; ++i) {
      const IkNode& node = plan_.nodes[i];
      for (std::int32_t k = node.between_begin; k < node.between_end; ++k) {
        look_at(poses, plan_.between[k], Place::kInside);
      }
      look_at(poses, node.joint, node.is_inside ? Place::kInside : Place::kEnd);
    }
  }

  enum class Place { kAbove, kInside, kEnd };
  LISSOM_INLINE void look_at(const T* const* poses, std::int32_t joint, Place place) {
    const Trs<L> trs = load_joint<T>(poses, static_cast<std::size_t>(joint));
    const Vec3<L> t = trs.translation, s = trs.scale;
    const L square = dot(trs.rotation, trs.rotation);
    const L sum = abs(t.x) + abs(t.y) + abs(t.z) + abs(s.x) + abs(s.y) + abs(s.z) + square;
    if (place != Place::kAbove) {
      const auto one = bits(L(1));
      scaled_ |= (bits(s.x) ^ one) | (bits(s.y) ^ one) | (bits(s.z) ^ one);
    }
    const L x = abs(s.x), y = abs(s.y), z = abs(s.z);
    const L largest = max(max(x, y), z), least = min(min(x, y), z);
    const Mask<T> is_infinite = !(sum <= L(Limits<T>::kLargest));
    const Mask<T> is_off_unit = abs(square - L(1)) > lanes_of<T>(2 * kUnit);
    const Mask<T> is_unfit = place == Place::kAbove    ? least <= L(Limits<T>::kSmallest)
                             : place == Place::kInside ? largest - least > lanes_of<T>(kUniform) * largest
                                                       : L(0) != L(0);
    if (__builtin_expect(!any(is_infinite | is_off_unit | is_unfit), true)) return;
    note(is_infinite, IkFault::kNotFinite, joint);
    note(is_off_unit, IkFault::kNotUnit, joint);
    note(is_unfit, place == Place::kAbove ? IkFault::kSingular : IkFault::kNotUniform, joint);
  }

  LISSOM_INLINE void note(Mask<T> is_wrong, IkFault fault, std::int32_t joint) {
    if (!any(is_wrong) || place_.fault != IkFault::kNone) return;
    int lane = 0;
    while (!is_wrong.bits[lane]) ++lane;
    place_ = {fault, items_[lane], joint};
  }

  const IkPlan& plan_;
  const IkBatch<T>& batch_;
  std::size_t items_[L::kCount];
  typename L::Bits scaled_{};  // not 0 where a scale is not 1
  IkFaultPlace place_;
};

template <class T>
IkFaultPlace check(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end) {
  return Checker<T>(plan, batch).first(begin, end);
}

}  // namespace

extern const IkCheckKernels ik_check_kernels;
const IkCheckKernels ik_check_kernels = {&check<float>, &check<double>};

}  // namespace lissom::LISSOM_ISA
