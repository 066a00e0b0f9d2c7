// SPDX-License-Identifier: MIT
#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/geometry/row_checks.h"

namespace lissom::bindings {

// Checks of whole arrays, one pass each: what is wrong where one fails is for Python to say.
void bind_checked_rows(py::module_& module) {
  module.def(
      "are_finite",
      [](const py::object& rows) {
        ArrayArgs args("load");
        return are_finite(args.in<float>(rows, "rows", {"row", "column"}));
      },
      "Whether all numbers of an array are finite.", py::arg("rows"));
  module.def(
      "used_columns",
      [](const py::object& rows) {
        ArrayArgs args("load");
        const auto numbers = args.in<float>(rows, "rows", {"row", "column"});
        return used_columns(numbers, args.length("column"));
      },
      "How many columns of an array have a number that is not zero.", py::arg("rows"));
  module.def(
      "largest_weight_sum_error",
      [](const py::object& weights) {
        ArrayArgs args("load");
        const auto values = args.in<float>(weights, "weights", {"vertex", "influence"});
        return largest_weight_sum_error(values, args.length("influence"));
      },
      "How far the sum of a row of weights is from 1 at most; infinite where a weight is negative or a NaN.",
      py::arg("weights"));
}

}  // namespace lissom::bindings
