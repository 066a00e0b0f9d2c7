// SPDX-License-Identifier: MIT
#include "core/springs/springs.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

SpringPlan make_plan(const py::object& parents, const py::object& order, const py::object& springs,
                     const py::object& colliders, const py::object& hits) {
  ArrayArgs args("Springs");
  const auto parent_view = args.in<std::int32_t>(parents, "parents", {"joint"});
  const auto order_view = args.in<std::int32_t>(order, "order", {"needed joint"});
  const auto spring_view = args.in<SpringJoint>(springs, "springs", {"spring"});
  const auto collider_view = args.in<SpringCollider>(colliders, "colliders", {"collider"});
  const auto hit_view = args.in<std::int32_t>(hits, "hits", {"hit"});
  SpringPlan plan;
  raise_if("Springs", SpringPlan::make(parent_view, order_view, spring_view, collider_view, hit_view, plan));
  return plan;
}

template <class T>
void step(ArrayArgs& args, const char* function, const SpringPlan& plan, const py::object& poses,
          const py::object& moves, const py::object& turns, const py::object& start, const py::object& tails,
          const py::object& rotations) {
  const auto joints = static_cast<int>(plan.joint_count), springs = static_cast<int>(plan.springs.size());
  SpringJob<T> job;
  job.plan = &plan;
  job.poses = args.in<T>(poses, "poses", {"frame", "character", joints, 10});
  job.characters = args.length("character");
  if (!moves.is_none()) job.moves = args.in<T>(moves, "moves", {"frame", "character", 7});
  if (!turns.is_none()) job.turns = args.in<T>(turns, "turns", {"frame", "character", 4});
  if (!start.is_none()) job.start = args.in<T>(start, "start", {"character", springs, 2, 3});
  job.tails = args.out<T>(tails, "tails", {"character", springs, 2, 3});
  job.rotations = args.out<T>(rotations, "rotations", {"frame", "character", springs, 4});
  run(function, job);
}

}  // namespace

void bind_springs(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(SpringJoint, tail, rest, gravity, stiffness, drag, radius, joint, center, first_hit,
                       hit_count, follows, reserved);
  PYBIND11_NUMPY_DTYPE(SpringCollider, offset, axis, radius, joint, kind, is_inside, reserved);

  module.attr("SPRING_STEP") = kSpringStep;
  py::class_<SpringPlan>(module, "SpringPlan", "The joints of a skeleton that spring, and what they meet.")
      .def(py::init(&make_plan), py::arg("parents"), py::arg("order"), py::arg("springs"),
           py::arg("colliders"), py::arg("hits"))
      .def_property_readonly("spring_count", [](const SpringPlan& plan) { return plan.springs.size(); })
      .def(
          "step",
          [](const SpringPlan& plan, const char* function, const py::object& poses, const py::object& moves,
             const py::object& turns, const py::object& start, const py::object& tails,
             const py::object& rotations) {
            ArrayArgs args(function);
            (args.is_double(poses, "poses") ? step<double> : step<float>)(args, function, plan, poses, moves,
                                                                          turns, start, tails, rotations);
          },
          "Step through frames; write the tails after the last, and rotations of every frame.",
          py::arg("function"), py::arg("poses"), py::arg("moves"), py::arg("turns"), py::arg("start"),
          py::arg("tails"), py::arg("rotations"));
}

}  // namespace lissom::bindings
