// SPDX-License-Identifier: MIT
#include "core/geometry/vertex_normals.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

VertexFaces make_vertex_faces(const py::object& triangles, std::size_t vertex_count) {
  ArrayArgs args("Mesh");
  VertexFaces faces;
  raise_if("Mesh",
           VertexFaces::make(args.in<std::uint32_t>(triangles, "triangles", {"F", 3}), vertex_count, &faces));
  return faces;
}

template <class T>
void vertex_normals(const VertexFaces& faces, const char* function, const py::object& positions,
                    const py::object& out) {
  ArrayArgs args(function);
  const Axis vertex_axis(static_cast<py::ssize_t>(faces.vertex_count()));
  VertexNormalsJob<T> job;
  job.faces = &faces;
  job.positions = args.in<T>(positions, "positions", {kBatch, vertex_axis, 3});
  job.batch_count = args.batch();
  job.normals = args.out<T>(out, "out", {kBatch, vertex_axis, 3});
  run(function, job);
}

}  // namespace

void bind_vertex_normals(py::module_& module) {
  using py::operator""_a;
  py::class_<VertexFaces>(module, "VertexFaces", "Which triangles meet at each vertex of a mesh.")
      .def(py::init(&make_vertex_faces), "triangles"_a, "vertex_count"_a)
      .def(
          "normals",
          [](const VertexFaces& faces, const std::string& function, const py::object& positions,
             const py::object& out) {
            const bool is_double = ArrayArgs(function.c_str()).is_double(positions, "positions");
            (is_double ? vertex_normals<double> : vertex_normals<float>)(faces, function.c_str(), positions,
                                                                         out);
          },
          "function"_a, "positions"_a, "out"_a);
}

}  // namespace lissom::bindings
