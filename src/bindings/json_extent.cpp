// SPDX-License-Identifier: MIT
#include "core/text/json_extent.h"

#include <pybind11/stl.h>

#include "bindings/array_args.h"
#include "bindings/gil.h"
#include "bindings/module.h"

namespace lissom::bindings {

void bind_json_extent(py::module_& module) {
  module.def(
      "json_extent",
      [](const py::object& text) {
        ArrayArgs args("json_extent");
        const auto bytes = args.in<std::uint8_t>(text, "text", {"byte"});
        JsonExtent extent;
        {
          const GilRelease nogil;
          extent = json_extent({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
        return py::make_tuple(extent.depth, extent.containers, extent.commas, extent.keys, extent.crowded,
                              extent.strings, extent.characters, extent.longest);
      },
      "Count what a JSON text decodes to: depth, containers, commas, keys, crowded, strings, characters, "
      "longest.",
      py::arg("text"));
}

}  // namespace lissom::bindings
