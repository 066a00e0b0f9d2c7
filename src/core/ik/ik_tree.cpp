// SPDX-License-Identifier: MIT
#include "core/ik/ik_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math/conventions.h"
#include "core/math/quat.h"

namespace lissom {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kThinnest = 1e-6;  // radians; of half an elliptic cone

IkLimit::HalfAngle half_of(double angle) { return {std::sin(0.5 * angle), std::cos(0.5 * angle)}; }

void put(const Quat<double>& q, double (&to)[4]) { to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w; }

Quat<double> rest_rotation(std::span<const float> rest, std::int32_t joint) {
  const float* r = &rest[static_cast<std::size_t>(joint) * kTrsScalars + 3];
  return normalized(Quat<double>{r[0], r[1], r[2], r[3]});
}

IkLimit prepared(const JointLimit& limit, std::span<const float> rest) {
  IkLimit result;
  result.kind = limit.kind;
  const Quat<double> rotation = rest_rotation(rest, limit.joint);
  const Quat<double> axes = {limit.axes[0], limit.axes[1], limit.axes[2], limit.axes[3]};
  put(normalized(rotation * axes), result.parent_from_limit);
  put(normalized(axes), result.joint_from_limit);
  result.middle = 0.5 * (limit.low + limit.high);
  result.half_range = 0.5 * (limit.high - limit.low);
  result.half_angles[0] = limit.half_angles[0], result.half_angles[1] = limit.half_angles[1];
  if (limit.half_angles[0] != limit.half_angles[1]) {
    // No swing is beyond half a turn, and a flat ellipse is a thin one: it has a nearest point like any other.
    for (double& half : result.half_angles) half = std::clamp(half, kThinnest, kPi);
  }
  result.half_middle = half_of(result.middle);
  result.half_of_range = half_of(std::min(result.half_range, kPi));
  result.half_of_cone = half_of(std::min(result.half_angles[0], kPi));
  return result;
}

// From the uppermost joint down to `joint`, that one included.
std::vector<std::int32_t> path_to(std::int32_t joint, std::span<const std::int32_t> parents) {
  std::vector<std::int32_t> path;
  for (; joint >= 0; joint = parents[static_cast<std::size_t>(joint)]) path.push_back(joint);
  std::reverse(path.begin(), path.end());
  return path;
}

bool are_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}
bool is_unit(std::span<const double> numbers) {
  double square = 0;
  for (const double x : numbers) square += x * x;
  return std::abs(square - 1) <= 1e-6;
}

// Of a skeleton: parents before children, and a rotation for each joint.
Error check_skeleton(std::span<const std::int32_t> parents, std::span<const float> rest) {
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < -1 || parents[i] >= static_cast<std::int32_t>(i)) {
      return Error("parents must come before their children, got " + std::to_string(parents[i]) +
                   " for joint " + std::to_string(i));
    }
    const float* q = &rest[i * kTrsScalars + 3];
    const double square =
        double{q[0]} * q[0] + double{q[1]} * q[1] + double{q[2]} * q[2] + double{q[3]} * q[3];
    if (!(square > 0) || !std::isfinite(square)) {
      return Error("rest must hold rotations, got none for joint " + std::to_string(i));
    }
  }
  return {};
}

Error check_limit(const JointLimit& limit) {
  if (limit.kind < LimitKind::kNone || limit.kind > LimitKind::kCone) {
    return Error("a limit must be of a kind that there is");
  }
  if (!is_unit(limit.axes)) return Error("axes of a limit must be a unit quaternion");
  if (!are_finite(limit.half_angles) || !(std::min(limit.half_angles[0], limit.half_angles[1]) >= 0)) {
    return Error("half angles of a limit must be finite and at least 0");
  }
  if (!std::isfinite(limit.low) || !std::isfinite(limit.high) || limit.low > limit.high) {
    return Error("the range of a limit must be finite, and low at most high");
  }
  return {};
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

}  // namespace

Error IkTree::make(std::span<const std::int32_t> parents, std::span<const float> rest,
                   std::vector<std::string> names, std::span<const std::vector<std::int32_t>> chains,
                   std::span<const std::int32_t> fixed, std::span<const JointLimit> limits,
                   std::span<const BendAxis> bend_axes, IkTree& tree) {
  const std::size_t count = parents.size();
  if (chains.empty()) return Error("there must be at least one chain");
  if (rest.size() != count * kTrsScalars || names.size() != count) {
    return Error("rest and names must have as many joints as parents");
  }
  if (Error error = check_skeleton(parents, rest)) return error;
  for (const JointLimit& limit : limits) {
    if (Error error = check_limit(limit)) return error;
  }
  for (const BendAxis& bend : bend_axes) {
    if (!is_unit(bend.axis)) return Error("a bend axis must be a unit vector");
  }
  const auto is_joint = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < count; };
  std::vector<char> is_fixed(count), rotates(count), is_node(count);
  for (const std::int32_t joint : fixed) {
    if (!is_joint(joint)) return Error("fixed must hold joints of the skeleton");
    is_fixed[static_cast<std::size_t>(joint)] = 1;
  }
  for (const auto& chain : chains) {
    if (chain.empty()) return Error("a chain must hold at least one joint");
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (!is_joint(chain[i])) return Error("a chain must hold joints of the skeleton");
      const auto joint = static_cast<std::size_t>(chain[i]);
      if (i > 0 && parents[joint] != chain[i - 1]) {
        return Error("joint " + quoted(names[joint]) + " must hang on " +
                     quoted(names[static_cast<std::size_t>(chain[i - 1])]) + ", the joint before it");
      }
      if (i + 1 < chain.size() && !is_fixed[joint]) rotates[joint] = is_node[joint] = 1;
    }
    is_node[static_cast<std::size_t>(chain.back())] = 1;
  }

  IkTree made;
  made.joint_count_ = count;
  made.names_ = std::move(names);
  std::vector<std::int32_t> node_of(count, -1), joints;
  for (std::size_t joint = 0; joint < count; ++joint) {
    if (!is_node[joint]) continue;
    node_of[joint] = static_cast<std::int32_t>(joints.size());
    joints.push_back(static_cast<std::int32_t>(joint));
  }
  // The base: the deepest joint above all of them.
  std::vector<std::int32_t> base = path_to(parents[static_cast<std::size_t>(joints.front())], parents);
  for (const std::int32_t joint : joints) {
    const std::vector<std::int32_t> path = path_to(parents[static_cast<std::size_t>(joint)], parents);
    const auto ends = std::mismatch(base.begin(), base.end(), path.begin(), path.end());
    base.erase(ends.first, base.end());
  }
  made.ancestors_ = base;
  for (const std::int32_t joint : joints) {
    IkNode node{};
    node.joint = joint;
    node.rotates = rotates[static_cast<std::size_t>(joint)];
    node.bend_axis_joint[0] = node.bend_axis_parent[0] = 1;
    put(rest_rotation(rest, joint), node.rest);
    node.between_begin = static_cast<std::int32_t>(made.between_.size());
    node.parent = -1;
    const std::int32_t end = base.empty() ? -1 : base.back();
    std::int32_t above = parents[static_cast<std::size_t>(joint)];
    for (; above != end && node_of[static_cast<std::size_t>(above)] < 0;
         above = parents[static_cast<std::size_t>(above)]) {
      made.between_.push_back(above);
    }
    if (above != end) node.parent = node_of[static_cast<std::size_t>(above)];
    std::reverse(made.between_.begin() + node.between_begin, made.between_.end());
    node.between_end = static_cast<std::int32_t>(made.between_.size());
    if (node.parent >= 0) made.nodes_[static_cast<std::size_t>(node.parent)].is_inside = 1;
    made.nodes_.push_back(node);
  }
  for (const JointLimit& limit : limits) {
    if (is_joint(limit.joint) && node_of[static_cast<std::size_t>(limit.joint)] >= 0) {
      made.nodes_[static_cast<std::size_t>(node_of[static_cast<std::size_t>(limit.joint)])].limit =
          prepared(limit, rest);
    }
  }
  for (const BendAxis& bend : bend_axes) {
    if (!is_joint(bend.joint) || node_of[static_cast<std::size_t>(bend.joint)] < 0) continue;
    IkNode& node = made.nodes_[static_cast<std::size_t>(node_of[static_cast<std::size_t>(bend.joint)])];
    std::copy(std::begin(bend.axis), std::end(bend.axis), std::begin(node.bend_axis_joint));
    const Vec3<double> above =
        rotate(rest_rotation(rest, bend.joint), {bend.axis[0], bend.axis[1], bend.axis[2]});
    node.bend_axis_parent[0] = above.x, node.bend_axis_parent[1] = above.y,
    node.bend_axis_parent[2] = above.z;
  }
  // Chains end in nodes; a chain's top is the uppermost of its own.
  for (const auto& chain : chains) {
    made.effectors_.push_back(node_of[static_cast<std::size_t>(chain.back())]);
    const auto top = std::find_if(chain.begin(), chain.end(), [&](std::int32_t joint) {
      return node_of[static_cast<std::size_t>(joint)] >= 0;
    });
    made.tops_.push_back(node_of[static_cast<std::size_t>(*top)]);
  }
  std::vector<std::vector<std::int32_t>> below(made.nodes_.size());
  for (std::size_t effector = 0; effector < made.effectors_.size(); ++effector) {
    for (std::int32_t node = made.effectors_[effector]; node >= 0;
         node = made.nodes_[static_cast<std::size_t>(node)].parent) {
      below[static_cast<std::size_t>(node)].push_back(static_cast<std::int32_t>(effector));
    }
  }
  for (std::size_t node = 0; node < below.size(); ++node) {
    made.nodes_[node].below_begin = static_cast<std::int32_t>(made.below_.size());
    made.below_.insert(made.below_.end(), below[node].begin(), below[node].end());
    made.nodes_[node].below_end = static_cast<std::int32_t>(made.below_.size());
  }
  tree = std::move(made);
  return {};
}

IkPlan IkTree::plan() const {
  return {joint_count_,      nodes_.data(),     nodes_.size(), between_.data(),   ancestors_.data(),
          ancestors_.size(), effectors_.data(), tops_.data(),  effectors_.size(), below_.data()};
}

}  // namespace lissom
