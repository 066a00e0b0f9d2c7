// SPDX-License-Identifier: MIT
#include "core/animation/key_faults.h"

#include <string>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {

void bind_key_faults(py::module_& module) {
  module.def(
      "key_faults",
      [](const std::string& rule, const py::object& floats, double limit, std::size_t step,
         const py::object& begin, const py::object& end) {
        ArrayArgs args("load");
        KeyFaultsJob job;
        job.rule = rule == "numbers"     ? KeyRule::kNumbers
                   : rule == "rotations" ? KeyRule::kRotations
                                         : KeyRule::kTimes;
        job.floats = args.in<float>(floats, "floats", {"float"});
        job.limit = limit;
        job.step = step;
        job.begin = args.in<std::int64_t>(begin, "begin", {"range"});
        job.end = args.in<std::int64_t>(end, "end", {"range"});
        py::array_t<std::int64_t> first(static_cast<py::ssize_t>(job.begin.size()));
        py::array_t<std::int64_t> count(static_cast<py::ssize_t>(job.begin.size()));
        job.first = {first.mutable_data(), job.begin.size()};
        job.count = {count.mutable_data(), job.begin.size()};
        run("load", job);
        return py::make_tuple(first, count);
      },
      "Return of each range [begin, end) where the first key that breaks a rule is, and how many there are.",
      py::arg("rule"), py::arg("floats"), py::arg("limit"), py::arg("step"), py::arg("begin"),
      py::arg("end"));
}

}  // namespace lissom::bindings
