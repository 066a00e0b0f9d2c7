// SPDX-License-Identifier: MIT
#include <memory>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/skinning/dual_quat.h"
#include "core/skinning/linear.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom::bindings {
namespace {

// Keeps the arrays that a SkinnedMesh views. Python hands over arrays that nobody can write any more.
struct HeldMesh {
  HeldMesh(py::object positions_in, py::object indices_in, py::object weights_in)
      : positions(std::move(positions_in)), indices(std::move(indices_in)), weights(std::move(weights_in)) {
    ArrayArgs args("Mesh");
    SkinnedMesh::Arrays arrays;
    arrays.positions = args.in<float>(positions, "positions", {"V", 3});
    arrays.weights = args.in<float>(weights, "weights", {"V", "K"});
    if (py::isinstance<py::array_t<std::uint32_t>>(indices)) {
      arrays.wide_indices = args.in<std::uint32_t>(indices, "indices", {"V", "K"});
    } else {
      arrays.indices = args.in<std::uint16_t>(indices, "indices", {"V", "K"});
    }
    arrays.influence_count = args.length("K");
    raise_if("Mesh", SkinnedMesh::make(arrays, &mesh));
  }
  py::object positions, indices, weights;
  SkinnedMesh mesh;
};

// Fills what the two methods share: the mesh, its normals and the outputs.
template <class T, class Job>
void view_mesh(ArrayArgs& args, const HeldMesh& held, const py::object& normals,
               const py::object& positions_out, const py::object& normals_out, Job* job) {
  const Axis vertex_axis(static_cast<int>(held.mesh.vertex_count()));
  job->mesh = &held.mesh;
  job->row_count = args.length("S");
  job->batch_count = args.batch();
  job->positions_out = args.out<T>(positions_out, "out", {kBatch, vertex_axis, 3});
  if (!normals_out.is_none()) {
    job->normals = args.in<float>(normals, "normals", {vertex_axis, 3});
    job->normals_out = args.out<T>(normals_out, "out", {kBatch, vertex_axis, 3});
  }
}

template <class T>
void skin_linear(const HeldMesh& held, const py::object& normals, const py::object& matrices,
                 const py::object& positions_out, const py::object& normals_out) {
  ArrayArgs args("skin_linear");
  LinearSkinningJob<T> job;
  job.matrices = args.in<T>(matrices, "matrices", {kBatch, "S", 4, 4});
  view_mesh<T>(args, held, normals, positions_out, normals_out, &job);
  run("skin_linear", job);
}

template <class T>
void skin_dual_quat(const HeldMesh& held, const py::object& normals, const py::object& dual_quats,
                    const py::object& scales, const py::object& positions_out,
                    const py::object& normals_out) {
  ArrayArgs args("skin_dual_quat");
  DualQuatSkinningJob<T> job;
  job.dual_quats = args.in<T>(dual_quats, "dual_quats", {kBatch, "S", 8});
  if (!scales.is_none()) job.scales = args.in<T>(scales, "scales", {kBatch, "S", 3, 4});
  view_mesh<T>(args, held, normals, positions_out, normals_out, &job);
  run("skin_dual_quat", job);
}

}  // namespace

void bind_skinning(py::module_& module) {
  using py::operator""_a;
  py::class_<HeldMesh>(module, "SkinnedMesh", "What skinning reads of a mesh, checked once.")
      .def(py::init<py::object, py::object, py::object>(), "positions"_a, "indices"_a, "weights"_a)
      .def_property_readonly("row_count", [](const HeldMesh& held) { return held.mesh.row_count(); });

  module.def(
      "skin_linear",
      [](const HeldMesh& mesh, const py::object& normals, const py::object& matrices,
         const py::object& positions_out, const py::object& normals_out) {
        const bool is_double = ArrayArgs("skin_linear").is_double(matrices, "matrices");
        (is_double ? skin_linear<double> : skin_linear<float>)(mesh, normals, matrices, positions_out,
                                                               normals_out);
      },
      "mesh"_a, "normals"_a, "matrices"_a, "positions_out"_a, "normals_out"_a);
  module.def(
      "skin_dual_quat",
      [](const HeldMesh& mesh, const py::object& normals, const py::object& dual_quats,
         const py::object& scales, const py::object& positions_out, const py::object& normals_out) {
        const bool is_double = ArrayArgs("skin_dual_quat").is_double(dual_quats, "dual_quats");
        (is_double ? skin_dual_quat<double> : skin_dual_quat<float>)(mesh, normals, dual_quats, scales,
                                                                     positions_out, normals_out);
      },
      "mesh"_a, "normals"_a, "dual_quats"_a, "scales"_a, "positions_out"_a, "normals_out"_a);
}

}  // namespace lissom::bindings
