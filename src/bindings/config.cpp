// SPDX-License-Identifier: MIT
#include <pybind11/typing.h>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom::bindings {

namespace py = pybind11;

namespace {

// A wrong setting of the environment is not ignored: the import fails.
void refuse(const Error& error) {
  if (error) throw py::import_error("lissom: " + error.sentence());
}

}  // namespace

void bind_config(py::module_& module) {
  refuse(isa_error());
  refuse(thread_count_error());
  refuse(deterministic_error());
  module.attr("__version__") = LISSOM_VERSION;
  module.def("thread_count", &thread_count, "Threads that heavy calls may use.");
  module.def(
      "set_thread_count", [](int count) { raise_if("set_thread_count", set_thread_count(count)); },
      py::arg("count"), "Set it; 0 goes back to what it was at the start.");
  module.def("is_deterministic", &is_deterministic, "Whether kernels give the same bits on every machine.");
  module.def("set_deterministic", &set_deterministic, py::arg("on"),
             "Have them do so, or be as fast as they can.");
  module.def("isa", [] { return std::string(isa_name(chosen_isa())); }, "The instruction set in use.");
  module.def(
      "runnable_isas",
      [] {
        py::typing::List<py::str> names;
        for (const Isa isa : runnable_isas()) names.append(isa_name(isa));
        return names;
      },
      "Those that this build has and this machine runs, the narrowest first.");
}

}  // namespace lissom::bindings
