// SPDX-License-Identifier: MIT
#include "core/geometry/vector_transform.h"

#include <algorithm>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {

void bind_vector_transform(py::module_& module) {
  module.def(
      "transform_vectors",
      [](const py::object& vectors, const py::object& linear, const py::object& offset,
         const py::object& out) {
        ArrayArgs args("load");
        VectorTransformJob job;
        job.vectors = args.in<float>(vectors, "vectors", {"vector", 3});
        const auto matrix = args.in<double>(linear, "linear", {3, 3});
        std::copy(matrix.begin(), matrix.end(), job.linear.begin());
        if (!offset.is_none()) job.offset = args.in<double>(offset, "offset", {3}).data();
        job.out = args.out<float>(out, "out", {"vector", 3});
        run("load", job);
      },
      "Move points by a matrix and an offset; without one directions, which are brought to unit length.",
      py::arg("vectors"), py::arg("linear"), py::arg("offset"), py::arg("out"));
}

}  // namespace lissom::bindings
