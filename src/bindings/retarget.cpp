// SPDX-License-Identifier: MIT
#include "core/retarget/retarget.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

RetargetPlan make_plan(const py::object& source_parents, const py::object& parents, const py::object& rest,
                       const py::object& order, const py::object& body, const py::object& turns,
                       const py::object& twists, const py::object& places, const py::object& limbs) {
  ArrayArgs args("Retarget");
  const auto source_view = args.in<std::int32_t>(source_parents, "source_parents", {"source joint"});
  const auto parent_view = args.in<std::int32_t>(parents, "parents", {"joint"});
  const auto rest_view = args.in<double>(rest, "rest", {"joint", 10});
  const auto order_view = args.in<std::int32_t>(order, "order", {"joint"});
  const auto body_view = args.in<RetargetBody>(body, "body", {1});
  const auto turn_view = args.in<RetargetTurn>(turns, "turns", {"turn"});
  const auto twist_view = args.in<RetargetTwist>(twists, "twists", {"twist"});
  const auto place_view = args.in<RetargetPlace>(places, "places", {"place"});
  const auto limb_view = args.in<RetargetLimb>(limbs, "limbs", {"limb"});
  RetargetPlan plan;
  raise_if("Retarget", RetargetPlan::make(source_view, parent_view, rest_view, order_view, body_view[0],
                                          turn_view, twist_view, place_view, limb_view, plan));
  return plan;
}

template <class T>
void carry(ArrayArgs& args, const RetargetPlan& plan, const py::object& poses, const py::object& offsets,
           const py::object& out, const py::object& goals, const py::object& orientations,
           const py::object& beyond, const py::object& headings) {
  const auto joints = static_cast<int>(plan.joint_count()), limbs = static_cast<int>(plan.limbs.size());
  RetargetJob<T> job;
  job.plan = &plan;
  job.poses = args.in<T>(poses, "poses", {kBatch, static_cast<int>(plan.source_joint_count), 10});
  if (!offsets.is_none()) job.offsets = args.in<T>(offsets, "offsets", {kBatch, limbs, 3});
  job.out = args.out<T>(out, "out", {kBatch, joints, 10});
  job.has_goals = !goals.is_none();
  if (job.has_goals) {
    job.goals = args.out<T>(goals, "goals", {kBatch, limbs, 3});
    job.orientations = args.out<T>(orientations, "orientations", {kBatch, limbs, 4});
    job.beyond = args.out<T>(beyond, "beyond", {kBatch, limbs});
    job.headings = args.out<T>(headings, "headings", {kBatch, 4});
  }
  run("Retarget.poses", job);
}

}  // namespace

void bind_retarget(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(RetargetTurn, first_factor, second_factor, weight, joint, first, second, reserved);
  PYBIND11_NUMPY_DTYPE(RetargetTwist, axis, power, rest, base_from_joint, joint, base, other, is_from_above);
  PYBIND11_NUMPY_DTYPE(RetargetPlace, offset, joint, from, limb, reserved);
  PYBIND11_NUMPY_DTYPE(RetargetSolePoint, surplus_foot, surplus_toes, source_foot, source_toes);
  PYBIND11_NUMPY_DTYPE(RetargetLimb, origin, sideways, scale, reach, end_factor, toes_factor, contact, lifted,
                       points, source_upper, source_end, source_toes, upper, lower, end, is_leg, reserved);
  PYBIND11_NUMPY_DTYPE(RetargetBody, source_from_model, scale, up, origin, heading_factor, most_drop, floor,
                       source_floor, source_hips, hips);

  py::class_<RetargetPlan>(module, "RetargetPlan", "How poses of one skeleton become poses of another.")
      .def(py::init(&make_plan), py::arg("source_parents"), py::arg("parents"), py::arg("rest"),
           py::arg("order"), py::arg("body"), py::arg("turns"), py::arg("twists"), py::arg("places"),
           py::arg("limbs"))
      .def(
          "carry",
          [](const RetargetPlan& plan, const py::object& poses, const py::object& offsets,
             const py::object& out, const py::object& goals, const py::object& orientations,
             const py::object& beyond, const py::object& headings) {
            ArrayArgs args("Retarget.poses");
            (args.is_double(poses, "poses") ? carry<double> : carry<float>)(args, plan, poses, offsets, out,
                                                                            goals, orientations, beyond,
                                                                            headings);
          },
          "Write poses of the target into out, and the goals of its limbs.", py::arg("poses"),
          py::arg("offsets"), py::arg("out"), py::arg("goals"), py::arg("orientations"), py::arg("beyond"),
          py::arg("headings"));
}

}  // namespace lissom::bindings
