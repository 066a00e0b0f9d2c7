// SPDX-License-Identifier: MIT
#include "core/skinning/palette.h"

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

namespace py = pybind11;

constexpr const char* kFunction = "Skin.palette";

SkinBind make_skin_bind(const py::object& joints, const py::object& joint_from_bind) {
  ArrayArgs args("Skin");
  const auto joint_span = args.in<std::int32_t>(joints, "joints", {"S"});
  const auto bind_span = args.in<double>(joint_from_bind, "joint_from_bind", {"S", 4, 4});
  SkinBind skin;
  raise_if("Skin", SkinBind::make(joint_span, rows_of<Mat4<double>>(bind_span), skin));
  return skin;
}

template <class T>
PaletteInput<T> input_of(ArrayArgs& args, const SkinBind& skin, const py::object& model) {
  const auto span = args.in<T>(model, "model", {kBatch, "J", 4, 4});
  return {&skin, rows_of<Mat4<T>>(span), args.length("J")};
}

template <class T>
void matrices(const SkinBind& skin, const py::object& model, const py::object& out) {
  ArrayArgs args(kFunction);
  PaletteMatricesJob<T> job;
  job.input = input_of<T>(args, skin, model);
  job.out = rows_of<Mat4<T>>(args.out<T>(out, "out", {kBatch, static_cast<int>(skin.rows().size()), 4, 4}));
  run(kFunction, job);
}

template <class T>
bool dual_quats(const SkinBind& skin, const py::object& model, const py::object& out) {
  ArrayArgs args(kFunction);
  PaletteDualQuatsJob<T> job;
  job.input = input_of<T>(args, skin, model);
  job.out = rows_of<DualQuat<T>>(args.out<T>(out, "out", {kBatch, static_cast<int>(skin.rows().size()), 8}));
  run(kFunction, job);
  return job.rigid;
}

template <class T>
void scales(const SkinBind& skin, const py::object& model, const py::object& rigid, const py::object& out) {
  ArrayArgs args(kFunction);
  PaletteScalesJob<T> job;
  const int row_count = static_cast<int>(skin.rows().size());
  job.input = input_of<T>(args, skin, model);
  job.dual_quats = rows_of<DualQuat<T>>(args.in<T>(rigid, "dual_quats", {kBatch, row_count, 8}));
  job.out = rows_of<Affine<T>>(args.out<T>(out, "out", {kBatch, row_count, 3, 4}));
  run(kFunction, job);
}

template <class T>
void quat_trans(const py::object& dual_quats, const py::object& out) {
  ArrayArgs args(kFunction);
  PaletteQuatTransJob<T> job;
  job.dual_quats = rows_of<DualQuat<T>>(args.in<T>(dual_quats, "dual_quats", {kBatch, "S", 8}));
  job.out = rows_of<QuatTrans<T>>(args.out<T>(out, "out", {kBatch, "S", 8}));
  run(kFunction, job);
}

bool is_double(const py::object& model) { return ArrayArgs(kFunction).is_double(model, "model"); }

}  // namespace

void bind_palette(py::module_& module) {
  py::class_<SkinBind>(module, "SkinBind", "The part of a skin that does not depend on poses.")
      .def(py::init(&make_skin_bind), py::arg("joints"), py::arg("joint_from_bind"))
      .def_property_readonly("joint_limit", &SkinBind::joint_limit)
      .def(
          "pivots",
          [](const SkinBind& skin, const py::object& out) {
            ArrayArgs args("Skin");
            skin.copy_pivots(rows_of<Vec3<double>>(
                args.out<double>(out, "out", {static_cast<int>(skin.rows().size()), 3})));
          },
          py::arg("out"), "Positions of the joints in bind space.");
  module.def(
      "palette_matrices",
      [](const SkinBind& skin, const py::object& model, const py::object& out) {
        is_double(model) ? matrices<double>(skin, model, out) : matrices<float>(skin, model, out);
      },
      py::arg("skin"), py::arg("model"), py::arg("out"), "model_from_bind as matrices.");
  module.def(
      "palette_dual_quats",
      [](const SkinBind& skin, const py::object& model, const py::object& out) {
        return is_double(model) ? dual_quats<double>(skin, model, out) : dual_quats<float>(skin, model, out);
      },
      py::arg("skin"), py::arg("model"), py::arg("out"),
      "The rigid part of model_from_bind; True where there is no other.");
  module.def(
      "palette_scales",
      [](const SkinBind& skin, const py::object& model, const py::object& rigid, const py::object& out) {
        is_double(model) ? scales<double>(skin, model, rigid, out) : scales<float>(skin, model, rigid, out);
      },
      py::arg("skin"), py::arg("model"), py::arg("dual_quats"), py::arg("out"),
      "The scale that is applied before the rigid part.");
  module.def(
      "palette_quat_trans",
      [](const py::object& rigid, const py::object& out) {
        is_double(rigid) ? quat_trans<double>(rigid, out) : quat_trans<float>(rigid, out);
      },
      py::arg("dual_quats"), py::arg("out"), "The rigid part as quaternion and translation.");
}

}  // namespace lissom::bindings
