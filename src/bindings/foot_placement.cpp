// SPDX-License-Identifier: MIT
#include "core/ik/foot_placement.h"

#include <pybind11/typing.h>

#include <algorithm>
#include <string>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

using ArrayTuple = py::typing::Tuple<py::object, py::ellipsis>;

constexpr int kOptions = sizeof(FootPlan::Options) / sizeof(double);

// Arrays of Python, which the plan copies.
FootPlan make_plan(std::size_t joint_count, const py::object& joints, const py::object& bodies,
                   const py::object& frames, const py::object& legs, const py::object& first_influences,
                   const py::object& influences, const py::object& shares, const py::object& rings,
                   const py::object& options) {
  ArrayArgs args("PlayersFeet");
  FootPlan plan;
  plan.joint_count = joint_count;
  const auto copied = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  copied(plan.joints, args.in<FootPlan::Joint>(joints, "joints", {"needed joint"}));
  copied(plan.bodies, args.in<std::int32_t>(bodies, "bodies", {"body"}));
  copied(plan.frames, args.in<std::int32_t>(frames, "frames", {"frame"}));
  copied(plan.legs, args.in<FootPlan::Leg>(legs, "legs", {"leg"}));
  copied(plan.first_influences,
         args.in<std::int32_t>(first_influences, "first_influences", {"end of points"}));
  copied(plan.influences, args.in<FootPlan::Influence>(influences, "influences", {"influence"}));
  copied(plan.shares, args.in<double>(shares, "shares", {"point"}));
  copied(plan.rings, args.in<FootPlan::Ring>(rings, "rings", {"ring"}));
  const auto numbers = args.in<double>(options, "options", {kOptions});
  std::copy(numbers.begin(), numbers.end(), reinterpret_cast<double*>(&plan.options));
  raise_if("PlayersFeet", plan.check());
  return plan;
}

// (heights, first x, step, first z, step, base) of a HeightField.
FootField field_from(ArrayArgs& args, const ArrayTuple& field, const char* rows, const char* columns) {
  FootField result;
  result.heights = args.in<double>(field[0], "heights", {rows, columns}).data();
  result.rows = static_cast<std::int64_t>(args.length(rows));
  result.columns = static_cast<std::int64_t>(args.length(columns));
  result.x = {field[1].cast<double>(), field[2].cast<double>()};
  result.z = {field[3].cast<double>(), field[4].cast<double>()};
  result.base = field[5].cast<double>();
  return result;
}

template <class T>
bool place(ArrayArgs& args, const char* function, const FootPlan& plan, const IkTree& legs,
           const ArrayTuple& ground, const ArrayTuple& body_ground, const ArrayTuple& inputs,
           const ArrayTuple& outputs) {
  FootPlacementJob<T> job;
  const auto joints = static_cast<int>(plan.joint_count), leg_count = static_cast<int>(plan.legs.size()),
             state = static_cast<int>(foot_state_size(plan));
  job.plan = &plan, job.legs = &legs;
  job.ground = field_from(args, ground, "ground row", "ground column");
  job.body_ground = field_from(args, body_ground, "body row", "body column");
  job.poses = args.in<T>(inputs[0], "poses", {"player", joints, 10});
  job.dt = args.in<double>(inputs[1], "dt", {"player"});
  if (!inputs[2].is_none()) job.contacts = args.in<double>(inputs[2], "contacts", {"player", leg_count});
  if (!inputs[3].is_none()) job.world = args.in<double>(inputs[3], "world_from_model", {"player", 10});
  job.before = args.in<double>(inputs[4], "state", {"player", state});
  const auto each = [&](std::size_t index, const char* name) {
    return args.out<double>(outputs[index], name, {"player", leg_count});
  };
  job.after = args.out<double>(outputs[0], "after", {"player", state});
  job.out = args.out<T>(outputs[1], "out", {"player", joints, 10});
  job.used_contacts = each(2, "contacts");
  job.targets = args.out<double>(outputs[3], "targets", {"player", leg_count, 3});
  job.ground_heights = each(4, "ground_heights");
  job.normals = args.out<double>(outputs[5], "normals", {"player", leg_count, 3});
  job.offsets = each(6, "offsets");
  job.body_offset = args.out<double>(outputs[7], "body_offset", {"player"});
  job.weights = each(8, "weights");
  job.residuals = each(9, "residuals");
  job.airborne = args.out<std::uint8_t>(outputs[10], "airborne", {"player", leg_count});
  job.too_far = args.out<std::uint8_t>(outputs[11], "too_far", {"player", leg_count});
  bool done = false;
  without_gil(function, [&] { return job.run(&done); });
  return done;
}

}  // namespace

void bind_foot_placement(py::module_& module) {
  PYBIND11_NUMPY_DTYPE_EX(FootPlan::Joint, joint, "joint", parent, "parent");
  PYBIND11_NUMPY_DTYPE(FootPlan::Influence, joint, frame, weight, offset);
  PYBIND11_NUMPY_DTYPE(FootPlan::Leg, hip, ankle, toe, toe_parent, first_point, point_count, turns, reserved,
                       length);
  PYBIND11_NUMPY_DTYPE(FootPlan::Ring, first, second, sag);

  py::class_<FootPlan>(module, "FootPlan", "The legs of a skeleton whose feet are placed, and how.")
      .def(py::init(&make_plan), py::arg("joint_count"), py::arg("joints"), py::arg("bodies"),
           py::arg("frames"), py::arg("legs"), py::arg("first_influences"), py::arg("influences"),
           py::arg("shares"), py::arg("rings"), py::arg("options"))
      .def(
          "place",
          [](const FootPlan& plan, const char* function, const IkTree& legs, const ArrayTuple& ground,
             const ArrayTuple& body_ground, const ArrayTuple& inputs, const ArrayTuple& outputs) {
            ArrayArgs args(function);
            return (args.is_double(inputs[0], "poses")
                        ? place<double>
                        : place<float>)(args, function, plan, legs, ground, body_ground, inputs, outputs);
          },
          "Place feet on height fields. False where a pose or a number is one that the steps in Python "
          "refuse.",
          py::arg("function"), py::arg("legs"), py::arg("ground"), py::arg("body_ground"), py::arg("inputs"),
          py::arg("outputs"));
}

}  // namespace lissom::bindings
