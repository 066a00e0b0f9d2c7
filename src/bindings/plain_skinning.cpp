// SPDX-License-Identifier: MIT
// The plain functions of palettes and skinned meshes. See plain_arrays.h.
#include <memory>
#include <utility>

#include "bindings/held_mesh.h"
#include "bindings/held_parents.h"
#include "bindings/held_prepared.h"
#include "bindings/module.h"
#include "bindings/plain_arrays.h"
#include "core/animation/model_pose.h"
#include "core/skinning/palette.h"
#include "core/skinning/pose_palette.h"
#include "core/skinning/skinning_job.h"

namespace lissom::bindings {
namespace {

// Rough costs of a joint, of a row and of a vertex, to choose whether the GIL is released.
constexpr double kModelNanoseconds = 8, kRowNanoseconds = 10, kVertexNanoseconds = 4;

// Model matrices (..., J, 4, 4) of at least the joints of a skin.
bool take_model(PlainArrays<float>& arrays, const SkinBind& skin, PyObject* object,
                PaletteInput<float>* input) {
  if (!PyArray_CheckExact(object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  if (PyArray_NDIM(array) < 3) return false;
  const npy_intp joints = PyArray_DIM(array, PyArray_NDIM(array) - 3);
  std::span<const float> numbers;
  if (joints < skin.joint_limit() || !arrays.take(object, {joints, 4, 4}, &numbers)) return false;
  *input = {&skin, rows_of<Mat4<float>>(numbers), static_cast<std::size_t>(joints)};
  return true;
}

npy_intp row_count(const SkinBind& skin) { return static_cast<npy_intp>(skin.rows().size()); }

double row_nanoseconds(const PlainArrays<float>& arrays, const SkinBind& skin) {
  return kRowNanoseconds * static_cast<double>(arrays.count() * row_count(skin));
}

void make_read_only(const py::object& array) {
  PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array.ptr()), NPY_ARRAY_WRITEABLE);
}

// (SkinBind, model): model itself, where it fits as it is.
PyObject* palette_model(PyObject* const* args) {
  const auto* skin = held_by<SkinBind>(args[0]);
  PlainArrays<float> arrays;
  PaletteInput<float> input;
  if (skin == nullptr || !take_model(arrays, *skin, args[1], &input)) return not_plain();
  return Py_NewRef(args[1]);
}

// (SkinBind, model): read-only.
PyObject* palette_matrices(PyObject* const* args) {
  const auto* skin = held_by<SkinBind>(args[0]);
  PlainArrays<float> arrays;
  PaletteMatricesJob<float> job;
  if (skin == nullptr || !take_model(arrays, *skin, args[1], &job.input)) return not_plain();
  std::span<float> rows;
  py::object out = arrays.result(Py_None, {row_count(*skin), 4, 4}, &rows);
  if (!out) return not_plain();
  job.out = rows_of<Mat4<float>>(rows);
  const Error error = run_plain(row_nanoseconds(arrays, *skin), [&] { return job.run(); });
  make_read_only(out);
  return unless(error, std::move(out));
}

// (SkinBind, model): read-only, and whether there is no scale.
PyObject* palette_dual_quats(PyObject* const* args) {
  const auto* skin = held_by<SkinBind>(args[0]);
  PlainArrays<float> arrays;
  PaletteDualQuatsJob<float> job;
  if (skin == nullptr || !take_model(arrays, *skin, args[1], &job.input)) return not_plain();
  std::span<float> rows;
  py::object out = arrays.result(Py_None, {row_count(*skin), 8}, &rows);
  if (!out) return not_plain();
  job.out = rows_of<DualQuat<float>>(rows);
  if (run_plain(row_nanoseconds(arrays, *skin), [&] { return job.run(); })) return not_plain();
  make_read_only(out);
  return PyTuple_Pack(2, out.ptr(), job.rigid ? Py_True : Py_False);
}

// (HeldParents, SkinBind, poses): the palette of poses in one pass, read-only; of dual quaternions only where there is no
// scale.
template <class Row, std::span<Row> PosePaletteJob::* kRows>
PyObject* pose_palette(PyObject* const* args, std::initializer_list<npy_intp> own) {
  const auto* parents = held_by<HeldParents>(args[0]);
  const auto* skin = held_by<SkinBind>(args[1]);
  if (parents == nullptr || skin == nullptr) return not_plain();
  const auto joints = static_cast<npy_intp>(parents->parents.size());
  PlainArrays<float> arrays;
  PosePaletteJob job;
  if (joints < 1 || joints < skin->joint_limit() || !arrays.take(args[2], {joints, 10}, &job.poses))
    return not_plain();
  std::span<float> rows;
  py::object out = arrays.result(Py_None, own, &rows);
  if (!out) return not_plain();
  job.parents = parents->parents;
  job.skin = skin;
  job.*kRows = rows_of<Row>(rows);
  const Error error = run_plain(row_nanoseconds(arrays, *skin), [&] { return job.run(); });
  if (!job.is_done) return not_plain();
  make_read_only(out);
  return unless(error, std::move(out));
}
PyObject* pose_matrices(PyObject* const* args) {
  const auto* skin = held_by<SkinBind>(args[1]);
  if (skin == nullptr) return not_plain();
  return pose_palette<Mat4<float>, &PosePaletteJob::matrices>(args, {row_count(*skin), 4, 4});
}
PyObject* pose_dual_quats(PyObject* const* args) {
  const auto* skin = held_by<SkinBind>(args[1]);
  if (skin == nullptr) return not_plain();
  return pose_palette<DualQuat<float>, &PosePaletteJob::dual_quats>(args, {row_count(*skin), 8});
}

// A mesh to skin, by matrices or dual quaternions, without tangents and morph targets.
class Skinning {
 public:
  // (HeldMesh, HeldPrepared of it or None, method, whether with normals)
  bool take(PyObject* const* args) {
    const auto* held = held_by<HeldMesh>(args[0]);
    if (held == nullptr || held->is_morphed || !PyUnicode_CheckExact(args[2])) return false;
    job_.mesh = &held->mesh;
    vertices_ = static_cast<npy_intp>(held->mesh.vertex_count());
    if (PyUnicode_CompareWithASCIIString(args[2], "linear") == 0) {
      job_.method = SkinningMethod::kLinear;
    } else if (PyUnicode_CompareWithASCIIString(args[2], "dual_quat") == 0) {
      job_.method = SkinningMethod::kDualQuat;
    } else {
      return false;
    }
    if (args[3] != Py_True && args[3] != Py_False) return false;
    has_normals_ = args[3] == Py_True;
    PlainArrays<float> alone;
    if (has_normals_ && !alone.take(held->normals.ptr(), {vertices_, 3}, &job_.normals)) return false;
    if (args[1] == Py_None) return true;
    auto* blocks = held_by<HeldPrepared>(args[1]);
    if (blocks == nullptr) return false;
    use_prepared(*blocks, &job_);
    return true;
  }

  bool is_linear() const { return job_.method == SkinningMethod::kLinear; }
  double nanoseconds(npy_intp count) const {
    return kVertexNanoseconds * static_cast<double>(count * vertices_);
  }

  // Where to write: `given` is None, an array, or with normals a tuple of two. Empty where it does not fit.
  py::object take_results(PlainArrays<float>& arrays, PyObject* given) {
    const auto numbers = job_.normals;
    arrays.remember(numbers.data(), numbers.size_bytes());
    if (!has_normals_) return arrays.result(given, {vertices_, 3}, &job_.positions_out);
    PyObject *positions_given = Py_None, *normals_given = Py_None;
    if (given != Py_None) {
      if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 2) return {};
      positions_given = PyTuple_GET_ITEM(given, 0);
      normals_given = PyTuple_GET_ITEM(given, 1);
      if (positions_given == Py_None || normals_given == Py_None) return {};
    }
    const py::object positions = arrays.result(positions_given, {vertices_, 3}, &job_.positions_out);
    if (!positions) return {};
    arrays.remember(job_.positions_out.data(), job_.positions_out.size_bytes());
    const py::object normals = arrays.result(normals_given, {vertices_, 3}, &job_.normals_out);
    if (!normals) return {};
    return py::reinterpret_steal<py::object>(PyTuple_Pack(2, positions.ptr(), normals.ptr()));
  }

  // By palettes of `row_count` rows; empty spans of what the method does not read.
  Error run(std::span<const float> matrices, std::span<const float> dual_quats, std::span<const float> scales,
            npy_intp row_count, npy_intp count) {
    job_.matrices = matrices;
    job_.dual_quats = dual_quats;
    job_.scales = scales;
    job_.row_count = static_cast<std::size_t>(row_count);
    job_.batch_count = static_cast<std::size_t>(count);
    return job_.run();
  }

 private:
  SkinningJob<float> job_;
  npy_intp vertices_ = 0;
  bool has_normals_ = false;  // also where there is no vertex
};

// (those of Skinning::take, rows, scales or None, out or None)
PyObject* skin(PyObject* const* args) {
  Skinning skinning;
  if (!skinning.take(args) || !PyArray_CheckExact(args[4])) return not_plain();
  const int axes = skinning.is_linear() ? 3 : 2;
  auto* array = reinterpret_cast<PyArrayObject*>(args[4]);
  if (PyArray_NDIM(array) < axes) return not_plain();
  const npy_intp rows = PyArray_DIM(array, PyArray_NDIM(array) - axes);
  PlainArrays<float> arrays;
  std::span<const float> matrices, dual_quats, scales;
  if (skinning.is_linear() ? !arrays.take(args[4], {rows, 4, 4}, &matrices)
                           : !arrays.take(args[4], {rows, 8}, &dual_quats)) {
    return not_plain();
  }
  if (args[5] != Py_None &&
      (!arrays.take(args[5], {rows, 3, 4}, &scales) || scales.size() * 8 != dual_quats.size() * 12)) {
    return not_plain();
  }
  py::object out = skinning.take_results(arrays, args[6]);
  if (!out) return not_plain();
  const Error error = run_plain(skinning.nanoseconds(arrays.count()), [&] {
    return skinning.run(matrices, dual_quats, scales, rows, arrays.count());
  });
  return unless(error, std::move(out));
}

// (those of Skinning::take, HeldParents, SkinBind, poses, out or None): model matrices and palettes are dropped. Of few
// poses, and by dual quaternions of those without scale.
PyObject* skin_poses(PyObject* const* args) {
  constexpr npy_intp kMostRows = 4096;
  const auto* parents = held_by<HeldParents>(args[4]);
  const auto* bind = held_by<SkinBind>(args[5]);
  Skinning skinning;
  if (parents == nullptr || bind == nullptr || !skinning.take(args)) {
    return not_plain();
  }
  const auto joints = static_cast<npy_intp>(parents->parents.size()), rows = row_count(*bind);
  PlainArrays<float> arrays;
  ModelPoseJob<float> pose_job;
  if (joints < 1 || joints < bind->joint_limit() || !arrays.take(args[6], {joints, 10}, &pose_job.poses)) {
    return not_plain();
  }
  const npy_intp count = arrays.count();
  if (count * joints > kMostRows || count * rows > kMostRows) return not_plain();
  py::object out = skinning.take_results(arrays, args[7]);
  if (!out) return not_plain();
  const auto model_size = static_cast<std::size_t>(16 * count * joints);
  const auto palette_size = static_cast<std::size_t>((skinning.is_linear() ? 16 : 8) * count * rows);
  const auto numbers = std::make_unique_for_overwrite<float[]>(model_size + palette_size);
  pose_job.parents = parents->parents;
  pose_job.are_parents_checked = true;
  pose_job.out = {numbers.get(), model_size};
  const std::span<float> palette = {numbers.get() + model_size, palette_size};
  const PaletteInput<float> input = {bind, rows_of<Mat4<float>>(std::span<const float>(pose_job.out)),
                                     static_cast<std::size_t>(joints)};
  bool is_rigid = true;
  const auto work = [&]() -> Error {
    if (Error error = pose_job.run()) return error;
    if (skinning.is_linear()) {
      const PaletteMatricesJob<float> palette_job = {input, rows_of<Mat4<float>>(palette)};
      if (Error error = palette_job.run()) return error;
      return skinning.run(palette, {}, {}, rows, count);
    }
    PaletteDualQuatsJob<float> palette_job = {input, rows_of<DualQuat<float>>(palette)};
    if (Error error = palette_job.run()) return error;
    is_rigid = palette_job.rigid;
    return is_rigid ? skinning.run({}, palette, {}, rows, count) : Error();
  };
  const double nanoseconds = skinning.nanoseconds(count) +
                             kModelNanoseconds * static_cast<double>(count * joints) +
                             kRowNanoseconds * static_cast<double>(count * rows);
  const Error error = run_plain(nanoseconds, work);
  return is_rigid ? unless(error, std::move(out)) : not_plain();
}

}  // namespace

void bind_plain_skinning(py::module_& module) {
  define_plain<palette_model, 2>(module, "plain_palette_model",
                                 "plain_palette_model(*args: typing.Any) -> typing.Any\n\n(skin, model)");
  define_plain<palette_matrices, 2>(
      module, "plain_palette_matrices",
      "plain_palette_matrices(*args: typing.Any) -> typing.Any\n\n(skin, model)");
  define_plain<palette_dual_quats, 2>(
      module, "plain_palette_dual_quats",
      "plain_palette_dual_quats(*args: typing.Any) -> typing.Any\n\n(skin, model)");
  define_plain<pose_matrices, 3>(
      module, "plain_pose_matrices",
      "plain_pose_matrices(*args: typing.Any) -> typing.Any\n\n(parents, skin, poses)");
  define_plain<pose_dual_quats, 3>(
      module, "plain_pose_dual_quats",
      "plain_pose_dual_quats(*args: typing.Any) -> typing.Any\n\n(parents, skin, poses)");
  define_plain<skin, 7>(module, "plain_skin",
                        "plain_skin(*args: typing.Any) -> typing.Any\n\n"
                        "(mesh, prepared, method, normals, rows, scales, out)");
  define_plain<skin_poses, 8>(module, "plain_skin_poses",
                              "plain_skin_poses(*args: typing.Any) -> typing.Any\n\n"
                              "(mesh, prepared, method, normals, parents, skin, poses, out)");
}

}  // namespace lissom::bindings
