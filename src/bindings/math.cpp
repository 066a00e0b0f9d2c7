// SPDX-License-Identifier: MIT
#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/math/polar.h"

namespace lissom::bindings {

namespace py = pybind11;

void bind_math(py::module_& module) {
  module.def(
      "polar_rotations",
      [](const py::object& matrices, const py::object& out) {
        ArrayArgs args("dual_quat.from_matrix");
        const auto in = args.in<double>(matrices, "matrix", {kBatch, 3, 3});
        const auto result = args.out<double>(out, "out", {kBatch, 3, 3});
        const auto* m = reinterpret_cast<const Mat3<double>*>(in.data());
        auto* r = reinterpret_cast<Mat3<double>*>(result.data());
        py::gil_scoped_release nogil;
        for (std::size_t i = 0; i < in.size() / 9; ++i) {
          r[i] = polar_rotation(m[i], Mat3<double>::identity(), kRankToleranceDouble);
        }
      },
      py::arg("matrices"), py::arg("out"), "R of finite matrices M = R S, a mirror in S.");
}

}  // namespace lissom::bindings
