// SPDX-License-Identifier: MIT
#include "core/skinning/centers_of_rotation.h"

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

void centers_of_rotation(const py::object& positions, const py::object& indices, const py::object& weights,
                         const py::object& triangles, double sigma, const py::object& centers) {
  ArrayArgs args("Mesh.centers_of_rotation");
  CentersOfRotationJob job;
  job.positions = args.in<float>(positions, "positions", {"V", 3});
  job.indices = args.in<std::uint32_t>(indices, "indices", {"V", "K"});
  job.weights = args.in<float>(weights, "weights", {"V", "K"});
  job.influence_count = args.length("K");
  job.triangles = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  job.sigma = sigma;
  JobProgress asked{py::none()};
  job.is_cancelled = [ask = asked.function()] { return ask("integrating", 0); };
  job.centers = args.out<float>(centers, "centers", {"V", 3});
  raise_if("Mesh.centers_of_rotation", asked.run(job));
}

}  // namespace

void bind_centers_of_rotation(py::module_& module) {
  using py::operator""_a;
  module.def("centers_of_rotation", &centers_of_rotation, "positions"_a, "indices"_a, "weights"_a,
             "triangles"_a, "sigma"_a, "centers"_a);
}

}  // namespace lissom::bindings
