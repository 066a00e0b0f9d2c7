// SPDX-License-Identifier: MIT
// The plain functions of local poses: model matrices and blends. See plain_arrays.h.
#include <cmath>
#include <memory>
#include <utility>

#include "bindings/held_parents.h"
#include "bindings/module.h"
#include "bindings/plain_arrays.h"
#include "core/animation/additive.h"
#include "core/animation/blending.h"
#include "core/animation/model_pose.h"

namespace lissom::bindings {
namespace {

// Rough costs of a joint, to choose whether the GIL is released.
constexpr double kModelNanoseconds = 8, kBlendNanoseconds = 2, kAddNanoseconds = 6;

// (HeldParents, poses, out or None)
PyObject* model_matrices(PyObject* const* args) {
  const auto* held = held_by<HeldParents>(args[0]);
  if (held == nullptr) return not_plain();
  const auto joints = static_cast<npy_intp>(held->parents.size());
  PlainArrays<float> arrays;
  ModelPoseJob<float> job;
  job.parents = held->parents;
  job.are_parents_checked = true;
  if (!arrays.take(args[1], {joints, 10}, &job.poses)) return not_plain();
  py::object out = arrays.result(args[2], {joints, 4, 4}, &job.out);
  if (!out) return not_plain();
  const double nanoseconds = kModelNanoseconds * static_cast<double>(arrays.count() * joints);
  return unless(run_plain(nanoseconds, [&] { return job.run(); }), std::move(out));
}

// (HeldParents, poses): the last columns of the matrices, which are computed and dropped. Of few poses.
PyObject* positions(PyObject* const* args) {
  constexpr npy_intp kMostJoints = 2048;
  const auto* held = held_by<HeldParents>(args[0]);
  if (held == nullptr) return not_plain();
  const auto joints = static_cast<npy_intp>(held->parents.size());
  PlainArrays<float> arrays;
  ModelPoseJob<float> job;
  job.parents = held->parents;
  job.are_parents_checked = true;
  if (!arrays.take(args[1], {joints, 10}, &job.poses)) return not_plain();
  const npy_intp count = arrays.count() * joints;
  if (count > kMostJoints) return not_plain();
  std::span<float> positions;
  py::object out = arrays.result(Py_None, {joints, 3}, &positions);
  if (!out) return not_plain();
  const auto size = static_cast<std::size_t>(16 * count);
  const auto matrices = std::make_unique_for_overwrite<float[]>(size);
  job.out = {matrices.get(), size};
  const Error error = run_plain(kModelNanoseconds * static_cast<double>(count), [&] { return job.run(); });
  for (std::size_t joint = 0; joint < static_cast<std::size_t>(count); ++joint) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      positions[3 * joint + axis] = matrices[16 * joint + 4 * axis + 3];
    }
  }
  return unless(error, std::move(out));
}

// The number of joints of a pose; -1 where `object` is none as it is.
npy_intp joints_of(PyObject* object) {
  if (!PyArray_CheckExact(object)) return -1;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_NDIM(array) < 2 ? -1 : PyArray_DIM(array, PyArray_NDIM(array) - 2);
}

// Two poses, a weight, a mask or None, and out or None: for blend and add_layer, whose jobs name the poses differently.
template <class Job>
PyObject* mix(PyObject* const* args, std::span<const float> Job::* first,
              std::span<const float> Job::* second, double nanoseconds) {
  const npy_intp joints = joints_of(args[0]);
  if (joints <= 0) return not_plain();
  PlainArrays<float> arrays;
  Job job;
  float weight;
  if (!arrays.take(args[0], {joints, 10}, &(job.*first)) ||
      !arrays.take(args[1], {joints, 10}, &(job.*second)) ||
      !arrays.take_numbers(args[2], &weight, &job.weights) ||
      (args[3] != Py_None && !arrays.take(args[3], {joints}, &job.mask))) {
    return not_plain();
  }
  py::object out = arrays.result(args[4], {joints, 10}, &job.out);
  if (!out) return not_plain();
  job.joint_count = static_cast<std::size_t>(joints);
  nanoseconds *= static_cast<double>(arrays.count() * joints);
  return unless(run_plain(nanoseconds, [&] { return job.run(); }), std::move(out));
}

PyObject* blend(PyObject* const* args) {
  return mix<BlendJob<float>>(args, &BlendJob<float>::a, &BlendJob<float>::b, kBlendNanoseconds);
}

PyObject* add_layer(PyObject* const* args) {
  return mix<AddLayerJob<float>>(args, &AddLayerJob<float>::base, &AddLayerJob<float>::additive,
                                 kAddNanoseconds);
}

// The layers of a blend, as lists or tuples or, of the poses and weights, as arrays whose first axis they are.
class Layers {
 public:
  // (poses, weights, masks or None, rest or None, threshold, out or None)
  bool take(PyObject* const* args) {
    PyObject *const poses = args[0], *const weights = args[1], *const masks = args[2];
    if (!take_poses(poses) || !take_weights(weights) || (masks != Py_None && !take_masks(masks)))
      return false;
    if (args[3] != Py_None) {
      auto* array = reinterpret_cast<PyArrayObject*>(args[3]);
      if (!PyArray_CheckExact(args[3]) || PyArray_NDIM(array) != 2) return false;
      if (!arrays_.take(args[3], {joints_, 10}, &job_.rest)) return false;
    }
    if (!PyFloat_CheckExact(args[4])) return false;
    const double threshold = PyFloat_AS_DOUBLE(args[4]);
    if (!(threshold > 0.0 && std::isfinite(threshold))) return false;
    job_.threshold = static_cast<float>(threshold);
    return true;
  }

  PyObject* run(PyObject* given) {
    py::object out = arrays_.result(given, {joints_, 10}, &job_.out);
    if (!out) return not_plain();
    job_.joint_count = static_cast<std::size_t>(joints_);
    job_.layers = {layers_, static_cast<std::size_t>(count_)};
    const double nanoseconds =
        kBlendNanoseconds * static_cast<double>(arrays_.count() * joints_ * (1 + count_));
    return unless(run_plain(nanoseconds, [&] { return job_.run(); }), std::move(out));
  }

 private:
  static constexpr Py_ssize_t kMost = 16;  // all their ranges are remembered

  static bool is_row(PyObject* object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

  bool take_poses(PyObject* poses) {
    if (is_row(poses)) {
      count_ = PySequence_Fast_GET_SIZE(poses);
      if (count_ < 1 || count_ > kMost) return false;
      joints_ = joints_of(PySequence_Fast_GET_ITEM(poses, 0));
      if (joints_ <= 0) return false;
      for (Py_ssize_t i = 0; i < count_; ++i) {
        PyObject* const pose = PySequence_Fast_GET_ITEM(poses, i);
        if (!arrays_.take(pose, {joints_, 10}, &layers_[i].poses)) return false;
      }
      return true;
    }
    if (!is_plain(poses, NPY_FLOAT)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(poses);
    const int rank = PyArray_NDIM(array);
    if (rank < 3 || PyArray_DIM(array, rank - 1) != 10) return false;
    count_ = PyArray_DIM(array, 0);
    joints_ = PyArray_DIM(array, rank - 2);
    if (count_ < 1 || count_ > kMost || joints_ <= 0) return false;
    if (rank > 3 && !arrays_.takes_batch(rank - 3, PyArray_DIMS(array) + 1)) return false;
    const auto* numbers = static_cast<const float*>(PyArray_DATA(array));
    const auto size = static_cast<std::size_t>(PyArray_SIZE(array) / count_);
    for (Py_ssize_t i = 0; i < count_; ++i) {
      layers_[i].poses = {numbers + static_cast<std::size_t>(i) * size, size};
      arrays_.remember(layers_[i].poses.data(), layers_[i].poses.size_bytes());
    }
    return true;
  }

  bool take_weights(PyObject* weights) {
    if (is_row(weights)) {
      if (PySequence_Fast_GET_SIZE(weights) != count_) return false;
      for (Py_ssize_t i = 0; i < count_; ++i) {
        PyObject* const weight = PySequence_Fast_GET_ITEM(weights, i);
        if (!arrays_.take_numbers(weight, &numbers_[i], &layers_[i].weights)) return false;
      }
      return true;
    }
    if (!PyArray_CheckExact(weights)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(weights);
    if (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != count_) return false;
    const bool is_double = is_plain(weights, NPY_DOUBLE);
    if (!is_double && !is_plain(weights, NPY_FLOAT)) return false;
    for (Py_ssize_t i = 0; i < count_; ++i) {
      const void* const data = PyArray_DATA(array);
      numbers_[i] = is_double ? static_cast<float>(static_cast<const double*>(data)[i])
                              : static_cast<const float*>(data)[i];
      layers_[i].weights = {&numbers_[i], 1};
    }
    return true;
  }

  bool take_masks(PyObject* masks) {
    if (!is_row(masks) || PySequence_Fast_GET_SIZE(masks) != count_) return false;
    for (Py_ssize_t i = 0; i < count_; ++i) {
      PyObject* const mask = PySequence_Fast_GET_ITEM(masks, i);
      if (mask != Py_None && !arrays_.take(mask, {joints_}, &layers_[i].mask)) return false;
    }
    return true;
  }

  Py_ssize_t count_ = 0;
  npy_intp joints_ = 0;
  PlainArrays<float> arrays_;
  BlendLayersJob<float> job_;
  BlendLayer<float> layers_[kMost];
  float numbers_[kMost];
};

PyObject* blend_layers(PyObject* const* args) {
  Layers layers;
  return layers.take(args) ? layers.run(args[5]) : not_plain();
}

}  // namespace

void bind_plain_poses(py::module_& module) {
  define_plain<model_matrices, 3>(
      module, "plain_model_matrices",
      "plain_model_matrices(*args: typing.Any) -> typing.Any\n\n(parents, poses, out)");
  define_plain<positions, 2>(module, "plain_positions",
                             "plain_positions(*args: typing.Any) -> typing.Any\n\n(parents, poses)");
  define_plain<blend, 5>(module, "plain_blend",
                         "plain_blend(*args: typing.Any) -> typing.Any\n\n(a, b, weight, mask, out)");
  define_plain<blend_layers, 6>(
      module, "plain_blend_layers",
      "plain_blend_layers(*args: typing.Any) -> typing.Any\n\n(poses, weights, masks, rest, threshold, out)");
  define_plain<add_layer, 5>(
      module, "plain_add_layer",
      "plain_add_layer(*args: typing.Any) -> typing.Any\n\n(base, additive, weight, mask, out)");
}

}  // namespace lissom::bindings
