// SPDX-License-Identifier: MIT
#include <pybind11/stl.h>

#include <tuple>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/gil.h"
#include "bindings/module.h"
#include "core/compression/draco_stream.h"

namespace lissom::bindings {

void bind_draco(py::module_& module) {
  module.def(
      "draco_extent",
      [](const py::object& stream, std::uint64_t most_bytes) {
        ArrayArgs args("draco_extent");
        DracoStreamWalk walk;
        walk.stream = args.in<std::uint8_t>(stream, "stream", {"byte"});
        walk.most_bytes = most_bytes;
        Error error;
        {
          const GilRelease nogil;
          error = walk.run();
        }
        if (error) throw py::value_error(error.sentence());
        const DracoSurface& surface = walk.surface;
        std::vector<std::tuple<std::uint32_t, std::uint32_t>> seamed;
        for (const auto& one : surface.seamed) seamed.emplace_back(one.seams, one.values);
        std::vector<std::tuple<std::uint32_t, int, int, int, std::uint32_t>> attributes;
        for (const auto& one : walk.attributes) {
          attributes.emplace_back(one.number, one.kind, one.data_type, one.components, one.values);
        }
        return py::make_tuple(walk.is_whole, surface.faces, surface.points, surface.vertices,
                              surface.most_vertices, surface.borders, seamed, attributes, walk.metadata,
                              walk.left);
      },
      "Count what a Draco stream decodes to: whether all of it was read, faces, points, vertices, most "
      "vertices, borders, (seams, values) of each "
      "surface with seams, (number, kind, data type, components, values) of each attribute, bytes of "
      "metadata, bytes behind the last.",
      py::arg("stream"), py::arg("most_bytes"));
}

}  // namespace lissom::bindings
