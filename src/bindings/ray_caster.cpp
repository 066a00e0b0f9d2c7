// SPDX-License-Identifier: MIT
#include <string>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/geometry/closest_point.h"
#include "core/geometry/ray_cast.h"
#include "core/geometry/triangle_bvh.h"

namespace lissom::bindings {
namespace {

TriangleBvh make_bvh(const py::object& positions, const py::object& triangles) {
  ArrayArgs args("TriangleMesh");
  TriangleBvh::Arrays arrays;
  if (args.is_double(positions, "positions")) {
    arrays.wide_positions = args.in<double>(positions, "positions", {"V", 3});
  } else {
    arrays.positions = args.in<float>(positions, "positions", {"V", 3});
  }
  arrays.triangles = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  TriangleBvh bvh;
  Error error;
  {
    const GilRelease nogil;
    error = TriangleBvh::make(arrays, &bvh);
  }
  raise_if("TriangleMesh", error);
  return bvh;
}

// `function` is the public name, for errors.
void cast_rays(const TriangleBvh& bvh, const std::string& function, const py::object& origins,
               const py::object& directions, double max_distance, bool front_only,
               const py::object& distances, const py::object& normals, const py::object& triangles,
               const py::object& weights) {
  ArrayArgs args(function.c_str());
  RayCastJob job;
  job.bvh = &bvh;
  job.origins = args.in<double>(origins, "origins", {"N", 3});
  job.directions = args.in<double>(directions, "directions", {"N", 3});
  job.max_distance = max_distance;
  job.front_only = front_only;
  job.distances = args.out<double>(distances, "distances", {"N"});
  if (!normals.is_none()) job.normals = args.out<double>(normals, "normals", {"N", 3});
  if (!triangles.is_none()) job.triangles = args.out<std::int64_t>(triangles, "triangles", {"N"});
  if (!weights.is_none()) job.weights = args.out<double>(weights, "weights", {"N", 3});
  Error error;
  {
    const GilRelease nogil;
    error = job.run();
  }
  raise_if(function.c_str(), error);
}

void find_closest_points(const TriangleBvh& bvh, const std::string& function, const py::object& points,
                         const py::object& normals, double least_cosine, const py::object& distances,
                         const py::object& triangles, const py::object& weights) {
  ArrayArgs args(function.c_str());
  ClosestPointJob job;
  job.bvh = &bvh;
  job.points = args.in<double>(points, "points", {"N", 3});
  if (!normals.is_none()) job.normals = args.in<double>(normals, "normals", {"N", 3});
  job.least_cosine = least_cosine;
  job.distances = args.out<double>(distances, "distances", {"N"});
  job.triangles = args.out<std::int64_t>(triangles, "triangles", {"N"});
  job.weights = args.out<double>(weights, "weights", {"N", 3});
  run(function.c_str(), job);
}

}  // namespace

void bind_ray_caster(py::module_& module) {
  using py::operator""_a;
  py::class_<TriangleBvh>(module, "TriangleBvh",
                          "Triangles in a tree of boxes, for casting rays and for what is the nearest.")
      .def(py::init(&make_bvh), "positions"_a, "triangles"_a)
      .def_property_readonly("triangle_count", &TriangleBvh::triangle_count)
      .def_property_readonly("degenerate_count", &TriangleBvh::degenerate_count)
      .def("cast", &cast_rays, "function"_a, "origins"_a, "directions"_a, "max_distance"_a, "front_only"_a,
           "distances"_a, "normals"_a = py::none(), "triangles"_a = py::none(), "weights"_a = py::none())
      .def("find_closest", &find_closest_points, "function"_a, "points"_a, "normals"_a, "least_cosine"_a,
           "distances"_a, "triangles"_a, "weights"_a);
}

}  // namespace lissom::bindings
