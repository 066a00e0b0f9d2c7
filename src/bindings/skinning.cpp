// SPDX-License-Identifier: MIT
#include <initializer_list>
#include <string>

#include "bindings/array_args.h"
#include "bindings/held_mesh.h"
#include "bindings/held_morphs.h"
#include "bindings/held_prepared.h"
#include "bindings/module.h"
#include "core/skinning/skinning_job.h"

namespace lissom::bindings {
namespace {

SkinningMethod method_of(const std::string& name) {
  if (name == "linear") return SkinningMethod::kLinear;
  if (name == "quat_trans") return SkinningMethod::kQuatTrans;
  if (name == "dual_quat") return SkinningMethod::kDualQuat;
  if (name == "cor") return SkinningMethod::kCor;
  if (name == "blended") return SkinningMethod::kBlended;
  throw py::value_error("skin: no method of the name " + name);
}

// Inputs and outputs of a call; None where there is none.
struct SkinArrays {
  const py::object &normals, &tangents, &centers, &blend;
  const py::object &matrices, &dual_quats, &quat_trans, &scales;
  const py::object &positions_out, &normals_out, &tangents_out;
  const HeldMorphs* morphs;
  const py::object& morph_weights;
};

// `faces`: the normals' output is checked, and filled by the caller from the moved triangles.
template <class T>
void skin(const std::string& function, const std::string& method, const HeldMesh& held,
          HeldPrepared* prepared, bool upright, bool faces, const SkinArrays& arrays) {
  ArrayArgs args(function.c_str());
  SkinningJob<T> job;
  job.method = method_of(method);
  job.mesh = &held.mesh;
  job.upright = upright;
  const auto palette = [&](const py::object& rows, const char* name, std::initializer_list<Axis> shape) {
    return rows.is_none() ? std::span<const T>() : args.in<T>(rows, name, shape);
  };
  job.matrices = palette(arrays.matrices, "matrices", {kBatch, "S", 4, 4});
  job.dual_quats = palette(arrays.dual_quats, "dual_quats", {kBatch, "S", 8});
  job.quat_trans = palette(arrays.quat_trans, "quat_trans", {kBatch, "S", 8});
  job.scales = palette(arrays.scales, "scales", {kBatch, "S", 3, 4});
  job.row_count = args.length("S");
  job.batch_count = args.batch();
  const Axis vertex_axis(static_cast<py::ssize_t>(held.mesh.vertex_count()));
  const auto vertices = [&](const py::object& rows, const char* name, std::initializer_list<Axis> shape) {
    return rows.is_none() ? std::span<const float>() : args.in<float>(rows, name, shape);
  };
  job.normals = vertices(arrays.normals, "normals", {vertex_axis, 3});
  job.tangents = vertices(arrays.tangents, "tangents", {vertex_axis, 4});
  job.centers = vertices(arrays.centers, "centers", {vertex_axis, 3});
  job.blend = vertices(arrays.blend, "blend", {vertex_axis});
  const auto output = [&](const py::object& rows, const char* name, int width) {
    return rows.is_none() ? std::span<T>() : args.out<T>(rows, name, {kBatch, vertex_axis, width});
  };
  const bool is_alone = arrays.normals_out.is_none();
  job.positions_out = output(arrays.positions_out, is_alone ? "out" : "out.positions", 3);
  const auto normals_out = output(arrays.normals_out, "out.normals", 3);
  if (!faces) job.normals_out = normals_out;
  job.tangents_out = output(arrays.tangents_out, "out.tangents", 4);
  if (arrays.morphs) {
    job.morphs = &arrays.morphs->targets;
    const auto count = static_cast<py::ssize_t>(job.morphs->target_count());
    job.morph_weights = args.in<T>(arrays.morph_weights, "morphs", {kBatch, count});
    if (prepared) prepared->mesh.keep_slots();
  }
  if (prepared) use_prepared(*prepared, &job);
  run(function.c_str(), job);
}

}  // namespace

void bind_skinning(py::module_& module) {
  using py::operator""_a;
  py::class_<HeldMesh>(module, "SkinnedMesh", "The part of a mesh that skinning reads, checked once.")
      .def(py::init<py::object, py::object, py::object>(), "positions"_a, "indices"_a, "weights"_a)
      .def("keep_normals", &HeldMesh::keep_normals, "normals"_a.none(true), "For plain functions.")
      .def_readwrite("is_morphed", &HeldMesh::is_morphed,
                     "For plain functions, which leave such meshes alone.")
      .def_property_readonly("row_count", [](const HeldMesh& held) { return held.mesh.row_count(); })
      .def(
          "heaviest_rows",
          [](const HeldMesh& held, const py::object& out) {
            ArrayArgs args("Mesh");
            held.mesh.copy_pivots(
                args.out<std::int32_t>(out, "out", {static_cast<int>(held.mesh.vertex_count())}));
          },
          py::arg("out"), "Palette row with the largest weight of each vertex; ties: the lowest.");

  py::class_<HeldMorphs>(module, "MorphTargets", "Sparse rows of morph targets, checked once.")
      .def(py::init<py::object, py::object, py::object, py::object, py::object>(), "offsets"_a, "vertices"_a,
           "positions"_a, "normals"_a, "tangents"_a);

  py::class_<HeldPrepared>(module, "PreparedMesh", "A SkinnedMesh in blocks that share palette rows.")
      .def(py::init<const HeldMesh&, const py::array_t<std::uint32_t>&, bool>(), "mesh"_a, "cuts"_a,
           "original_order"_a)
      .def_property_readonly("block_count", [](const HeldPrepared& held) { return held.mesh.block_count(); })
      .def_property_readonly("block_row_count",
                             [](const HeldPrepared& held) { return held.mesh.block_row_count(); })
      .def("order", [](const HeldPrepared& held) {
        const auto& order = held.mesh.order();
        return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(order.size()), order.data());
      });

  const py::object none = py::none();
  module.def(
      "skin",
      [](const std::string& function, const std::string& method, const HeldMesh& mesh,
         const py::object& positions_out, const py::object& normals_out, const py::object& tangents_out,
         const py::object& normals, const py::object& tangents, const py::object& centers,
         const py::object& blend, const py::object& matrices, const py::object& dual_quats,
         const py::object& quat_trans, const py::object& scales, bool upright, bool faces,
         const py::object& prepared, const py::object& morphs, const py::object& morph_weights) {
        const SkinArrays arrays{
            normals,      tangents,     centers,
            blend,        matrices,     dual_quats,
            quat_trans,   scales,       positions_out,
            normals_out,  tangents_out, morphs.is_none() ? nullptr : morphs.cast<const HeldMorphs*>(),
            morph_weights};
        const py::object& palette = !matrices.is_none()     ? matrices
                                    : !dual_quats.is_none() ? dual_quats
                                                            : quat_trans;
        const bool is_double = ArrayArgs(function.c_str()).is_double(palette, "palette");
        (is_double ? skin<double> : skin<float>)(function, method, mesh,
                                                 prepared.is_none() ? nullptr
                                                                    : prepared.cast<HeldPrepared*>(),
                                                 upright, faces, arrays);
      },
      "function"_a, "method"_a, "mesh"_a, "positions_out"_a, "normals_out"_a, "tangents_out"_a, py::kw_only(),
      "normals"_a = none, "tangents"_a = none, "centers"_a = none, "blend"_a = none, "matrices"_a = none,
      "dual_quats"_a = none, "quat_trans"_a = none, "scales"_a = none, "upright"_a = false, "faces"_a = false,
      "prepared"_a = none, "morphs"_a = none, "morph_weights"_a = none,
      "Skins by the method of that name; errors name the function.");
}

}  // namespace lissom::bindings
