// SPDX-License-Identifier: MIT
#include "core/ik/limit_fit.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {

void bind_limit_fit(py::module_& module) {
  module.def(
      "nearest_axis",
      [](const py::object& points) {
        ArrayArgs args("nearest_axis");
        NearestAxisJob job;
        job.points = args.in<double>(points, "points", {"point", 3});
        run("nearest_axis", job);
        return py::make_tuple(job.axis.x, job.axis.y, job.axis.z);
      },
      "Return the unit axis through 0 whose largest distance from points is least.", py::arg("points"));
  module.def(
      "enclosing_ellipse",
      [](const py::object& points) {
        ArrayArgs args("enclosing_ellipse");
        EnclosingEllipseJob job;
        job.points = args.in<double>(points, "points", {"point", 2});
        run("enclosing_ellipse", job);
        return py::make_tuple(job.moment[0], job.moment[1], job.moment[2]);
      },
      "Return xx, xy, yy of M, of the smallest ellipse p^T M^-1 p = 2 about 0 around points.",
      py::arg("points"));
}

}  // namespace lissom::bindings
