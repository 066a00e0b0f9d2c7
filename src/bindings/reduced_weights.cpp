// SPDX-License-Identifier: MIT
#include "core/weights/reduced_weights.h"

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"

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

}  // namespace

void bind_reduced_weights(py::module_& module) {
  using py::operator""_a;
  module.def("reduce_weights", &reduce_weights, "weights"_a, "positions"_a, "triangles"_a, "reduced"_a,
             py::kw_only(), "influence_count"_a, "smoothness"_a, "weld"_a, "progress"_a = py::none());
}

}  // namespace lissom::bindings
