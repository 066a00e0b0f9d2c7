// SPDX-License-Identifier: MIT
#include "core/skinning/inverse_skinning.h"

#include <tuple>

#include "bindings/array_args.h"
#include "bindings/held_mesh.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

template <class T>
std::tuple<std::size_t, std::size_t, std::size_t> unskin(
    const char* function, const HeldMesh& held, const py::object& matrices, const py::object& dual_quats,
    const py::object& scales, const py::object& positions, const py::object& normals, double max_condition,
    bool refuse_unsolved, const py::object& positions_out, const py::object& normals_out) {
  ArrayArgs args(function);
  const Axis vertex_axis(static_cast<py::ssize_t>(held.mesh.vertex_count()));
  InverseSkinningJob<T> job;
  job.mesh = &held.mesh;
  if (!matrices.is_none()) job.matrices = args.in<T>(matrices, "matrices", {kBatch, "S", 4, 4});
  if (!dual_quats.is_none()) job.dual_quats = args.in<T>(dual_quats, "dual_quats", {kBatch, "S", 8});
  if (!scales.is_none()) job.scales = args.in<T>(scales, "scales", {kBatch, "S", 3, 4});
  job.row_count = args.length("S");
  job.positions = args.in<T>(positions, "positions", {kBatch, vertex_axis, 3});
  job.batch_count = args.batch();
  job.max_condition = max_condition;
  job.refuse_unsolved = refuse_unsolved;
  if (!normals.is_none()) job.normals = args.in<T>(normals, "normals", {kBatch, vertex_axis, 3});
  job.positions_out = args.out<T>(positions_out, "out", {kBatch, vertex_axis, 3});
  if (!normals_out.is_none()) job.normals_out = args.out<T>(normals_out, "out", {kBatch, vertex_axis, 3});
  Unsolved unsolved;
  without_gil(function, [&] { return job.run(&unsolved); });
  return std::make_tuple(unsolved.count, unsolved.batch, unsolved.vertex);
}

}  // namespace

void bind_inverse_skinning(py::module_& module) {
  using py::operator""_a;
  module.def(
      "unskin",
      [](const std::string& function, const HeldMesh& mesh, const py::object& matrices,
         const py::object& dual_quats, const py::object& scales, const py::object& positions,
         const py::object& normals, double max_condition, bool refuse_unsolved,
         const py::object& positions_out, const py::object& normals_out) {
        const bool is_double = ArrayArgs(function.c_str()).is_double(positions, "positions");
        return (is_double ? unskin<double> : unskin<float>)(function.c_str(), mesh, matrices, dual_quats,
                                                            scales, positions, normals, max_condition,
                                                            refuse_unsolved, positions_out, normals_out);
      },
      "function"_a, "mesh"_a, "matrices"_a, "dual_quats"_a, "scales"_a, "positions"_a, "normals"_a,
      "max_condition"_a, "refuse_unsolved"_a, "positions_out"_a, "normals_out"_a);
}

}  // namespace lissom::bindings
