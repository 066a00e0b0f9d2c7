// SPDX-License-Identifier: MIT
#include "core/volume/implicit_shapes.h"

#include <algorithm>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

constexpr const char* kSamples = "samples";  // which make their surfaces of these

template <std::size_t N>
void copy(std::span<const double> from, std::array<double, N>& to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

void bind_implicit_shapes(py::module_& module) {
  module.def(
      "ellipsoid_distances",
      [](const py::object& points, const py::object& center, const py::object& radii, const py::object& out) {
        ArrayArgs args(kSamples);
        EllipsoidJob job;
        job.points = args.in<double>(points, "points", {"point", 3});
        copy(args.in<double>(center, "center", {3}), job.center);
        copy(args.in<double>(radii, "radii", {3}), job.radii);
        job.out = args.out<double>(out, "out", {"point"});
        run(kSamples, job);
      },
      "Distances of first order to an ellipsoid.", py::arg("points"), py::arg("center"), py::arg("radii"),
      py::arg("out"));
  module.def(
      "capsule_distances",
      [](const py::object& points, const py::object& head, const py::object& tail, double head_radius,
         double tail_radius, const py::object& out) {
        ArrayArgs args(kSamples);
        CapsuleJob job;
        job.points = args.in<double>(points, "points", {"point", 3});
        copy(args.in<double>(head, "head", {3}), job.head);
        copy(args.in<double>(tail, "tail", {3}), job.tail);
        job.head_radius = head_radius;
        job.tail_radius = tail_radius;
        job.out = args.out<double>(out, "out", {"point"});
        run(kSamples, job);
      },
      "Distances to a round bar.", py::arg("points"), py::arg("head"), py::arg("tail"),
      py::arg("head_radius"), py::arg("tail_radius"), py::arg("out"));
  module.def(
      "loft_distances",
      [](const py::object& points, const py::object& origin, const py::object& axes,
         const py::object& parameter, const py::object& values, const py::object& slopes,
         const py::object& out) {
        ArrayArgs args(kSamples);
        LoftJob job;
        job.points = args.in<double>(points, "points", {"point", 3});
        copy(args.in<double>(origin, "origin", {3}), job.origin);
        copy(args.in<double>(axes, "axes", {3, 3}), job.axes);
        job.parameter = args.in<double>(parameter, "parameter", {"knot"});
        job.values = args.in<double>(values, "values", {"knot", 4});
        job.slopes = args.in<double>(slopes, "slopes", {"knot", 4});
        job.out = args.out<double>(out, "out", {"point"});
        run(kSamples, job);
      },
      "Distances to an ellipse swept along an axis.", py::arg("points"), py::arg("origin"), py::arg("axes"),
      py::arg("parameter"), py::arg("values"), py::arg("slopes"), py::arg("out"));
  module.def(
      "smooth_union",
      [](const py::object& first, const py::object& second, double radius, double sign,
         const py::object& out) {
        ArrayArgs args(kSamples);
        SmoothUnionJob job;
        job.first = args.in<double>(first, "first", {"point"});
        job.second = args.in<double>(second, "second", {"point"});
        job.radius = radius;
        job.sign = sign;
        job.out = args.out<double>(out, "out", {"point"});
        run(kSamples, job);
      },
      "Smooth minimum of two distances; with sign -1 their smooth maximum.", py::arg("first"),
      py::arg("second"), py::arg("radius"), py::arg("sign"), py::arg("out"));
}

}  // namespace lissom::bindings
