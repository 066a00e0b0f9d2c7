// SPDX-License-Identifier: MIT
#include <pybind11/typing.h>

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"
#include "core/weights/heat.h"

namespace lissom::bindings {
namespace {

static_assert(sizeof(BoneSegment) == 6 * sizeof(double));

py::typing::Dict<py::str, py::object> heat_weights(const py::object& positions, const py::object& triangles,
                                                   const py::object& handles, const py::object& weights,
                                                   const py::object& sights, double conductance, double weld,
                                                   bool sight, const py::object& progress) {
  ArrayArgs args("weights.heat");
  HeatWeightsJob job;
  job.positions = args.in<double>(positions, "positions", {"V", 3});
  job.triangles = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  const auto ends = args.in<double>(handles, "handles", {"H", 2, 3});
  job.bones = {reinterpret_cast<const BoneSegment*>(ends.data()), ends.size() / 6};
  job.weights = args.out<double>(weights, "weights", {"V", "H"});
  job.sights = args.out<std::uint8_t>(sights, "sights", {"V"});
  job.conductance = conductance;
  job.weld = weld;
  job.sight = sight;
  HeatWeightsJob::Outcome outcome;
  job.outcome = &outcome;
  JobProgress asked(progress);
  job.progress = asked.function();
  raise_if("weights.heat", asked.run(job));
  using py::operator""_a;
  return py::dict("node_count"_a = outcome.node_count, "island_count"_a = outcome.island_count,
                  "blind_island_count"_a = outcome.blind_island_count,
                  "degenerate_count"_a = outcome.degenerate_count, "flip_count"_a = outcome.flip_count,
                  "least_weight"_a = outcome.least_weight, "most_weight"_a = outcome.most_weight,
                  "least_row_sum"_a = outcome.least_row_sum, "most_row_sum"_a = outcome.most_row_sum);
}

}  // namespace

void bind_heat_weights(py::module_& module) {
  using py::operator""_a;
  module.def("heat_weights", &heat_weights, "positions"_a, "triangles"_a, "handles"_a, "weights"_a,
             "sights"_a, py::kw_only(), "conductance"_a, "weld"_a, "sight"_a, "progress"_a = py::none());
}

}  // namespace lissom::bindings
