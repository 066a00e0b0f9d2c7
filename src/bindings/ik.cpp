// SPDX-License-Identifier: MIT
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/ik/aim.h"
#include "core/ik/ccd.h"
#include "core/ik/fabrik.h"
#include "core/ik/ik_job.h"
#include "core/ik/least_squares.h"
#include "core/ik/two_bone.h"

namespace lissom::bindings {
namespace {

// Inputs and outputs of every solver, in the order of the tuple that Python passes. Arrays that serve all items have no
// axis of items.
struct IkArguments {
  py::object poses, start, targets, orientations, weight;
  std::size_t frames;
  double tolerance;
  int max_iterations;
  py::object out, residual, angle, iterations, reached, limited;
};

// Neither class nor keywords: those would cost a tenth and more of a single small solve.
using IkTuple = py::typing::Tuple<py::object, py::ellipsis>;
IkArguments arguments_from(const IkTuple& fields) {
  return {fields[0],
          fields[1],
          fields[2],
          fields[3],
          fields[4],
          fields[5].cast<std::size_t>(),
          fields[6].cast<double>(),
          fields[7].cast<int>(),
          fields[8],
          fields[9],
          fields[10],
          fields[11],
          fields[12],
          fields[13]};
}

// (joint, kind, axes xyzw, half angles, low, high)
using LimitTuple =
    std::tuple<std::int32_t, int, std::array<double, 4>, std::array<double, 2>, double, double>;
using BendTuple = std::pair<std::int32_t, std::array<double, 3>>;

IkTree make_tree(const py::object& parents, const py::object& rest, std::vector<std::string> names,
                 const std::vector<std::vector<std::int32_t>>& chains, const std::vector<std::int32_t>& fixed,
                 const std::vector<LimitTuple>& limits, const std::vector<BendTuple>& bend_axes) {
  ArrayArgs args("ik");
  std::vector<JointLimit> joint_limits;
  for (const auto& [joint, kind, axes, half_angles, low, high] : limits) {
    joint_limits.push_back({joint,
                            static_cast<LimitKind>(kind),
                            {axes[0], axes[1], axes[2], axes[3]},
                            {half_angles[0], half_angles[1]},
                            low,
                            high});
  }
  std::vector<BendAxis> bends;
  for (const auto& [joint, axis] : bend_axes) bends.push_back({joint, {axis[0], axis[1], axis[2]}});
  const auto parent_view = args.in<std::int32_t>(parents, "parents", {"joint"});
  const auto rest_view = args.in<float>(rest, "rest", {"joint", 10});
  IkTree tree;
  raise_if("ik",
           IkTree::make(parent_view, rest_view, std::move(names), chains, fixed, joint_limits, bends, tree));
  return tree;
}

bool has_axes(const py::object& value, int axes) {
  return py::isinstance<py::array>(value) && py::reinterpret_borrow<py::array>(value).ndim() == axes;
}

// `length` numbers of each chain, with an axis of items or without.
template <class T>
std::span<const T> chain_rows(ArrayArgs& args, const IkTree& tree, const py::object& value, const char* name,
                              int length) {
  const auto chains = static_cast<int>(tree.chain_count());
  return has_axes(value, 2) ? args.in<T>(value, name, {chains, length})
                            : args.in<T>(value, name, {"item", chains, length});
}

// The Python layer makes the shapes agree.
template <class Job, class T>
void fill(ArrayArgs& args, const IkTree& tree, const IkArguments& given, Job& job) {
  const auto joints = static_cast<int>(tree.joint_count()), chains = static_cast<int>(tree.chain_count());
  const auto poses = [&](const py::object& value, const char* name) {
    return has_axes(value, 2) ? args.in<T>(value, name, {joints, 10})
                              : args.in<T>(value, name, {"item", joints, 10});
  };
  job.tree = &tree;
  job.poses = poses(given.poses, "poses");
  if (!given.start.is_none()) job.start = poses(given.start, "start");
  job.targets = chain_rows<T>(args, tree, given.targets, "targets", 3);
  if (!given.orientations.is_none())
    job.orientations = chain_rows<T>(args, tree, given.orientations, "orientations", 4);
  job.weights = has_axes(given.weight, 0) ? args.in<T>(given.weight, "weight", {})
                                          : args.in<T>(given.weight, "weight", {"item"});
  job.frames = given.frames;
  job.tolerance = given.tolerance;
  job.max_iterations = given.max_iterations;
  job.out = args.out<T>(given.out, "out", {"item", joints, 10});
  job.residuals = args.out<T>(given.residual, "residual", {"item", chains});
  if (!given.angle.is_none()) job.angles = args.out<T>(given.angle, "angle", {"item", chains});
  job.iterations = args.out<std::int32_t>(given.iterations, "iterations", {"item"});
  job.reached = args.out<std::uint8_t>(given.reached, "reached", {"item", chains});
  job.limited = args.out<std::uint8_t>(given.limited, "limited", {"item", joints});
}

template <template <class> class Job, class T, class Set>
void solve_as(ArrayArgs& args, const char* function, const IkTree& tree, const IkArguments& given,
              const Set& set) {
  Job<T> job;
  fill<Job<T>, T>(args, tree, given, job);
  set(args, job);
  run(function, job);
}

// Runs one solver in the precision of its poses; `set(args, job)` sets its own options.
template <template <class> class Job, class Set>
void solve(const char* function, const IkTree& tree, const IkTuple& arguments, const Set& set) {
  const IkArguments given = arguments_from(arguments);
  ArrayArgs args(function);
  const bool is_double = args.is_double(given.poses, "poses");
  (is_double ? solve_as<Job, double, Set> : solve_as<Job, float, Set>)(args, function, tree, given, set);
}

// A solver without options of its own; `function` is the public name, for errors.
template <template <class> class Job>
void define_solver(py::module_& module, const char* name, const char* function, const char* doc) {
  module.def(
      name,
      [function](const IkTree& tree, const IkTuple& arguments) {
        solve<Job>(function, tree, arguments, [](ArrayArgs&, auto&) {});
      },
      doc, py::arg("tree"), py::arg("arguments"));
}

}  // namespace

void bind_ik(py::module_& module) {
  using py::operator""_a;
  py::class_<IkTree>(module, "IkTree", "One or several chains of a skeleton, prepared for solving.")
      .def(py::init(&make_tree), "parents"_a, "rest"_a, "names"_a, "chains"_a, "fixed"_a, "limits"_a,
           "bend_axes"_a);

  define_solver<CcdJob>(module, "ccd", "ik.ccd", "Cyclic coordinate descent.");
  define_solver<FabrikJob>(module, "fabrik", "ik.fabrik", "Forward and backward reaching.");

  module.def(
      "two_bone",
      [](const IkTree& tree, const IkTuple& arguments, const py::object& pole, const py::object& twist,
         double soften) {
        solve<TwoBoneJob>("ik.two_bone", tree, arguments, [&]<class T>(ArrayArgs& args, TwoBoneJob<T>& job) {
          if (!pole.is_none()) job.poles = chain_rows<T>(args, tree, pole, "pole", 3);
          if (!twist.is_none()) job.twists = chain_rows<T>(args, tree, twist, "twist", 1);
          job.soften = soften;
        });
      },
      "The analytic solver of limbs.", "tree"_a, "arguments"_a, "pole"_a, "twist"_a, "soften"_a);

  module.def(
      "damped_least_squares",
      [](const IkTree& tree, const IkTuple& arguments, const py::object& stiffness, double rest_attraction,
         double damping, bool selective, double angle_tolerance) {
        solve<LeastSquaresJob>("ik.damped_least_squares", tree, arguments, [&](ArrayArgs& args, auto& job) {
          if (!stiffness.is_none()) job.stiffness = args.in<double>(stiffness, "stiffness", {"joint"});
          job.rest_attraction = rest_attraction;
          job.damping = damping;
          job.is_selective = selective;
          job.angle_tolerance = angle_tolerance;
        });
      },
      "Damped least squares.", "tree"_a, "arguments"_a, "stiffness"_a, "rest_attraction"_a, "damping"_a,
      "selective"_a, "angle_tolerance"_a);

  module.def(
      "ik_jacobian",
      [](const IkTree& tree, const py::object& pose, const py::object& targets,
         const py::object& orientations, const py::object& stiffness) {
        ArrayArgs args("ik_jacobian");
        const auto joints = static_cast<int>(tree.joint_count()),
                   chains = static_cast<int>(tree.chain_count());
        LeastSquaresJob<double> job;
        job.tree = &tree;
        job.poses = args.in<double>(pose, "pose", {joints, 10});
        job.targets = args.in<double>(targets, "targets", {chains, 3});
        if (!orientations.is_none()) {
          job.orientations = args.in<double>(orientations, "orientations", {chains, 4});
        }
        if (!stiffness.is_none()) job.stiffness = args.in<double>(stiffness, "stiffness", {joints});
        const JacobianOfPose result = jacobian_of(job);
        const auto rows = static_cast<py::ssize_t>(result.row_count);
        const py::ssize_t nodes = static_cast<py::ssize_t>(result.jacobian.size()) / (3 * rows);
        return py::make_tuple(py::array_t<double>({rows, nodes, py::ssize_t{3}}, result.jacobian.data()),
                              py::array_t<double>({rows, rows}, result.gram.data()));
      },
      "For tests: the Jacobian matrix (R, node, 3) that damped_least_squares works with, and J w J^T (R, R).",
      "tree"_a, "pose"_a, "targets"_a, "orientations"_a.none(true), "stiffness"_a.none(true));

  module.def(
      "aim",
      [](const IkTree& tree, const IkTuple& arguments, const py::object& pole, const py::object& stops,
         const std::array<double, 3>& axis, const std::array<double, 3>& offset,
         const std::array<double, 3>& up, const std::vector<double>& shares, double behind) {
        solve<AimJob>("ik.aim", tree, arguments, [&]<class T>(ArrayArgs& args, AimJob<T>& job) {
          if (!pole.is_none()) job.poles = chain_rows<T>(args, tree, pole, "pole", 3);
          job.stops = args.out<std::uint8_t>(stops, "stops", {"item"});
          job.axis = axis, job.offset = offset, job.up = up;
          job.shares = shares, job.behind = behind;
        });
      },
      "Rotates the joints of a chain so that its effector looks at a target.", "tree"_a, "arguments"_a,
      "pole"_a, "stops"_a, "axis"_a, "offset"_a, "up"_a, "shares"_a, "behind"_a);
}

}  // namespace lissom::bindings
