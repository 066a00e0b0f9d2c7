// SPDX-License-Identifier: MIT
#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/arrays/polar_rotations.h"

namespace lissom::bindings {

namespace py = pybind11;

void bind_math(py::module_& module) {
  module.def(
      "polar_rotations",
      [](const py::object& matrices, const py::object& out) {
        ArrayArgs args("dual_quat.from_matrix");
        const auto in = args.in<double>(matrices, "matrix", {kBatch, 3, 3});
        const auto result = args.out<double>(out, "out", {kBatch, 3, 3});
        run("dual_quat.from_matrix",
            PolarRotationsJob{rows_of<Mat3<double>>(in), rows_of<Mat3<double>>(result)});
      },
      py::arg("matrices"), py::arg("out"), "R of finite matrices M = R S, a mirror in S.");
}

}  // namespace lissom::bindings
