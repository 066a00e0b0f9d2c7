// SPDX-License-Identifier: MIT
#include "bindings/module.h"
#include "core/parallel/thread_pool.h"

namespace lissom::bindings {

namespace py = pybind11;

void bind_config(py::module_& module) {
  module.attr("__version__") = LISSOM_VERSION;
  module.def("thread_count", &thread_count, "Threads that heavy calls may use.");
  module.def("set_thread_count", &set_thread_count, py::arg("count"), "Set it; 0 asks for all.");
}

}  // namespace lissom::bindings
