// SPDX-License-Identifier: MIT
#include "core/weights/reduced_weights.h"

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"
#include "core/weights/influence_order.h"

namespace lissom::bindings {
namespace {

// Returns the number of sweeps.
int reduce_weights(const py::object& weights, const py::object& positions, const py::object& triangles,
                   const py::object& reduced, int influence_count, double smoothness, double weld,
                   const py::object& progress) {
  ArrayArgs args("weights.reduce");
  ReducedWeightsJob job;
  job.weights = args.in<double>(weights, "weights", {"V", "H"});
  job.handle_count = args.length("H");
  if (!positions.is_none()) {
    job.positions = args.in<double>(positions, "positions", {"V", 3});
    job.triangles = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  }
  job.reduced = args.out<double>(reduced, "reduced", {"V", "H"});
  job.influence_count = influence_count;
  job.smoothness = smoothness;
  job.weld = weld;
  int sweep_count = 0;
  job.sweep_count = &sweep_count;
  JobProgress asked(progress);
  job.progress = asked.function();
  raise_if("weights.reduce", asked.run(job));
  return sweep_count;
}

// Returns None where something is to be repaired.
template <class Joint>
py::object order_joints(const py::object& joints, const py::object& weights, std::int64_t joint_count,
                        double sum_tolerance) {
  ArrayArgs args("load");
  InfluenceOrderJob<Joint> job;
  job.joints = args.in<Joint>(joints, "joints", {"vertex", "influence"});
  job.weights = args.in<float>(weights, "weights", {"vertex", "influence"});
  job.influences = args.length("influence");
  job.joint_count = joint_count;
  job.sum_tolerance = sum_tolerance;
  const auto rows = static_cast<py::ssize_t>(args.length("vertex"));
  const auto columns = static_cast<py::ssize_t>(job.influences);
  py::array_t<Joint> joints_out({rows, columns});
  py::array_t<float> weights_out({rows, columns});
  job.joints_out = {joints_out.mutable_data(), job.joints.size()};
  job.weights_out = {weights_out.mutable_data(), job.weights.size()};
  run("load", job);
  return job.is_good ? py::object(py::make_tuple(joints_out, weights_out)) : py::none();
}

py::object order_influences(const py::object& joints, const py::object& weights, std::int64_t joint_count,
                            double sum_tolerance) {
  const auto order = py::isinstance<py::array_t<std::uint8_t>>(joints)    ? order_joints<std::uint8_t>
                     : py::isinstance<py::array_t<std::uint16_t>>(joints) ? order_joints<std::uint16_t>
                                                                          : order_joints<std::int64_t>;
  return order(joints, weights, joint_count, sum_tolerance);
}

}  // namespace

void bind_reduced_weights(py::module_& module) {
  using py::operator""_a;
  module.def("reduce_weights", &reduce_weights, "weights"_a, "positions"_a, "triangles"_a, "reduced"_a,
             py::kw_only(), "influence_count"_a, "smoothness"_a, "weld"_a, "progress"_a = py::none());
  module.def(
      "order_influences", &order_influences, "joints"_a, "weights"_a, "joint_count"_a, "sum_tolerance"_a,
      "Return joints and weights, the largest of each vertex first; None where something is to be repaired.");
}

}  // namespace lissom::bindings
