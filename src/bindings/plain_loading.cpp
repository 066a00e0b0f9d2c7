// SPDX-License-Identifier: MIT
// What the reader of glTF asks of whole tables: where accessors lie, matrices at rest, frames of skins, tracks. A small
// file takes as long as its calls do, so they take columns as they are; see plain_arrays.h.
#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>

#include "bindings/module.h"
#include "bindings/plain_arrays.h"
#include "core/geometry/row_checks.h"
#include "core/loading/accessor_layout.h"
#include "core/loading/channel_columns.h"
#include "core/loading/channel_tracks.h"
#include "core/loading/rest_pose.h"
#include "core/loading/skin_frame.h"

namespace lissom::bindings {
namespace {

namespace py = pybind11;

template <class T>
constexpr int kTypeOf = std::is_same_v<T, bool>           ? NPY_BOOL
                        : std::is_same_v<T, std::int64_t> ? NPY_INT64
                        : std::is_same_v<T, std::int32_t> ? NPY_INT32
                        : std::is_same_v<T, float>        ? NPY_FLOAT
                                                          : NPY_DOUBLE;

// Views all numbers of an array; its first axis must have as many places as `length`, once that is known.
template <class T>
bool take(PyObject* object, std::span<const T>* found, npy_intp* length = nullptr, npy_intp width = 1) {
  if (!is_plain(object, kTypeOf<T>)) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  const npy_intp size = PyArray_SIZE(array);
  if (length != nullptr && *length < 0) *length = size / width;
  if (length != nullptr && size != *length * width) return false;
  *found = {static_cast<const T*>(PyArray_DATA(array)), static_cast<std::size_t>(size)};
  return true;
}

// A new array (length, ...) that `made` views.
template <class T, class Span>
py::object make(std::initializer_list<npy_intp> shape, Span* made) {
  npy_intp sides[3];
  std::copy(shape.begin(), shape.end(), sides);
  auto array =
      py::reinterpret_steal<py::object>(PyArray_SimpleNew(static_cast<int>(shape.size()), sides, kTypeOf<T>));
  if (!array) throw py::error_already_set();
  auto* const numbers = reinterpret_cast<PyArrayObject*>(array.ptr());
  *made = {static_cast<typename Span::element_type*>(PyArray_DATA(numbers)),
           static_cast<std::size_t>(PyArray_NBYTES(numbers)) / sizeof(typename Span::element_type)};
  return array;
}

std::span<const Mat4<double>> matrices_of(std::span<const double> numbers) {
  return {reinterpret_cast<const Mat4<double>*>(numbers.data()), numbers.size() / 16};
}

// What nobody may write by mistake, as Python's read_only() has it.
PyObject* read_only(py::object array) {
  PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array.ptr()), NPY_ARRAY_WRITEABLE);
  return array.release().ptr();
}

// (whole numbers, how many or -1): as int32, read-only; None where there are others than so many, or one does not fit.
PyObject* indices(PyObject* const* args) {
  std::span<const std::int64_t> wide;
  double length;
  if (!take_number(args[1], &length)) return not_plain();
  auto count = static_cast<npy_intp>(length);
  if (!take(args[0], &wide, &count) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[0])) != 1) {
    return not_plain();
  }
  std::span<std::int32_t> narrow;
  py::object array = make<std::int32_t>({count}, &narrow);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    narrow[i] = static_cast<std::int32_t>(wide[i]);
    if (narrow[i] != wide[i]) return not_plain();
  }
  return read_only(std::move(array));
}

template <class T>
PyObject* stored_rest(PyObject* transforms, npy_intp count, RotationTolerance tolerance) {
  std::span<const T> numbers;
  auto* const given = reinterpret_cast<PyArrayObject*>(transforms);
  if (!take(transforms, &numbers, &count, kNodeNumbers) || PyArray_NDIM(given) != 2) return not_plain();
  std::span<float> rest;
  py::object array = make<float>({count, kNodeNumbers}, &rest);
  if (!store_rest(numbers, tolerance, rest)) return not_plain();
  return read_only(std::move(array));
}

// (transforms, how many, most, rounding): as float32 with unit rotations, read-only, or None
PyObject* rest(PyObject* const* args) {
  double count, most, rounding;
  if (!take_number(args[1], &count) || !take_number(args[2], &most) || !take_number(args[3], &rounding)) {
    return not_plain();
  }
  const RotationTolerance tolerance{most, rounding};
  const auto joints = static_cast<npy_intp>(count);
  return is_plain(args[0], NPY_DOUBLE) ? stored_rest<double>(args[0], joints, tolerance)
                                       : stored_rest<float>(args[0], joints, tolerance);
}

constexpr std::array kFaults = {"", "view", "stride", "end", "alignment"};

// (buffer, byteLength, byteOffset, byteStride of views; componentType, count, type, bufferView, byteOffset, is_sparse of
// accessors; buffers of the file)
PyObject* accessor_layout(PyObject* const* args) {
  AccessorLayout job;
  npy_intp views = -1, accessors = -1;
  const bool fit = take(args[0], &job.view_buffer, &views) && take(args[1], &job.view_length, &views) &&
                   take(args[2], &job.view_offset, &views) && take(args[3], &job.view_stride, &views) &&
                   take(args[4], &job.component_type, &accessors) && take(args[5], &job.count, &accessors) &&
                   take(args[6], &job.type, &accessors) && take(args[7], &job.view, &accessors) &&
                   take(args[8], &job.byte_offset, &accessors) && take(args[9], &job.is_sparse, &accessors);
  double buffers;
  if (!fit || !take_number(args[10], &buffers)) return not_plain();
  job.buffer_count = static_cast<std::int64_t>(buffers);
  py::list columns;
  for (auto* const column :
       {&job.component_size, &job.components, &job.element_size, &job.stride, &job.start, &job.buffer}) {
    columns.append(make<std::int64_t>({accessors}, column));
  }
  for (auto* const mask : {&job.has_view, &job.has_stride, &job.is_compressed, &job.is_plain}) {
    columns.append(make<bool>({accessors}, mask));
  }
  job.run();
  const char* const fault = kFaults[static_cast<std::size_t>(job.fault)];
  return py::make_tuple(columns, py::make_tuple(fault, job.row, job.expected, job.got)).release().ptr();
}

// (buffer, byteOffset, byteLength of views; byteLength of buffers): True where all of them fit
PyObject* views_fit(PyObject* const* args) {
  std::span<const std::int64_t> buffer, offset, length, buffer_lengths;
  npy_intp views = -1;
  const bool fit = take(args[0], &buffer, &views) && take(args[1], &offset, &views) &&
                   take(args[2], &length, &views) && take(args[3], &buffer_lengths) &&
                   lissom::views_fit(buffer, offset, length, buffer_lengths);
  return fit ? Py_NewRef(Py_True) : not_plain();
}

// (numbers, most): True where none is further than so from zero
PyObject* within(PyObject* const* args) {
  double most;
  std::span<const float> floats;
  if (!take_number(args[1], &most) || !take(args[0], &floats)) return not_plain();
  return are_within(floats, static_cast<float>(most)) ? Py_NewRef(Py_True) : not_plain();
}

// (counts, path, node, sampler of channels; counts, input, output, interpolation of samplers; nodes): of channels animation,
// number in it, input, output, interpolation, or None
PyObject* channel_columns(PyObject* const* args) {
  ChannelColumns job;
  npy_intp animations = -1, channels = -1, samplers = -1;
  double nodes;
  const bool fit = take(args[0], &job.channel_counts, &animations) && take(args[1], &job.path, &channels) &&
                   take(args[2], &job.node, &channels) && take(args[3], &job.sampler, &channels) &&
                   take(args[4], &job.sampler_counts, &animations) &&
                   take(args[5], &job.sampler_input, &samplers) &&
                   take(args[6], &job.sampler_output, &samplers) &&
                   take(args[7], &job.sampler_interpolation, &samplers) && take_number(args[8], &nodes);
  const auto are_all = [](std::span<const std::int64_t> counts, npy_intp of) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == of;
  };
  if (!fit || !are_all(job.channel_counts, channels) || !are_all(job.sampler_counts, samplers)) {
    return not_plain();
  }
  job.node_count = static_cast<std::int64_t>(nodes);
  py::list columns;
  for (auto* const column : {&job.animation, &job.number, &job.input, &job.output, &job.interpolation}) {
    columns.append(make<std::int64_t>({channels}, column));
  }
  return job.run() ? columns.release().ptr() : not_plain();
}

// (transforms, largest, most, rounding): True, or None where one has a fault.
PyObject* normalize_rotations(PyObject* const* args) {
  if (!is_plain(args[0], NPY_DOUBLE, NPY_ARRAY_CARRAY)) return not_plain();
  auto* const array = reinterpret_cast<PyArrayObject*>(args[0]);
  double largest, most, rounding;
  if (!take_number(args[1], &largest) || !take_number(args[2], &most) || !take_number(args[3], &rounding)) {
    return not_plain();
  }
  const std::span<double> numbers{static_cast<double*>(PyArray_DATA(array)),
                                  static_cast<std::size_t>(PyArray_SIZE(array))};
  if (numbers.size() % kNodeNumbers != 0) return not_plain();
  return lissom::normalize_rotations(numbers, largest, {most, rounding}) ? Py_NewRef(Py_True) : not_plain();
}

// (transforms, parents): matrices, and the joints above each
PyObject* rest_matrices(PyObject* const* args) {
  std::span<const double> transforms;
  std::span<const std::int64_t> parents;
  npy_intp count = -1;
  if (!take(args[1], &parents, &count) || !take(args[0], &transforms, &count, kNodeNumbers))
    return not_plain();
  std::span<Mat4<double>> matrices;
  std::span<std::int64_t> depths;
  py::object matrix_array = make<double>({count, 4, 4}, &matrices);
  py::object depth_array = make<std::int64_t>({count}, &depths);
  model_matrices_of(transforms, parents, matrices, depths);
  return py::make_tuple(std::move(matrix_array), std::move(depth_array)).release().ptr();
}

// (inverse bind matrices as stored, joints, model_from_joint, depths, largest, singular, same_factor):
// source_from_bind and model_from_source, or None
PyObject* skin_frame(PyObject* const* args) {
  SkinFrame job;
  std::span<const double> models;
  npy_intp rows = -1, joints = -1;
  const bool fit = take(args[1], &job.joints, &rows) && take(args[0], &job.stored, &rows, 16) &&
                   take(args[3], &job.depths, &joints) && take(args[2], &models, &joints, 16) &&
                   take_number(args[4], &job.largest) && take_number(args[5], &job.singular) &&
                   take_number(args[6], &job.same_factor);
  if (!fit) return not_plain();
  job.model_from_joint = matrices_of(models);
  for (const std::int64_t joint : job.joints) {
    if (joint < 0 || joint >= joints) return not_plain();
  }
  py::object bound = make<double>({rows, 4, 4}, &job.source_from_bind);
  if (!job.run()) return not_plain();
  std::span<Mat4<double>> frame;
  py::object frame_array = make<double>({4, 4}, &frame);
  frame[0] = job.model_from_source;
  return py::make_tuple(std::move(bound), std::move(frame_array)).release().ptr();
}

// (animation, node, path, input, output, interpolation of channels; joint_of_node; count, type, start, buffer, is_plain of
// accessors; a buffer, its floats; largest, unit_tolerance; an array for the tracks, and one for ends): True, or None
PyObject* channel_tracks(PyObject* const* args) {
  ChannelTracks job;
  npy_intp channels = -1, accessors = -1;
  double buffer;
  const bool fit = take(args[0], &job.animation, &channels) && take(args[1], &job.node, &channels) &&
                   take(args[2], &job.path, &channels) && take(args[3], &job.input, &channels) &&
                   take(args[4], &job.output, &channels) && take(args[5], &job.interpolation, &channels) &&
                   take(args[6], &job.joint_of_node) && take(args[7], &job.count, &accessors) &&
                   take(args[8], &job.type, &accessors) && take(args[9], &job.start, &accessors) &&
                   take(args[10], &job.buffer, &accessors) && take(args[11], &job.is_plain, &accessors) &&
                   take_number(args[12], &buffer) && take(args[13], &job.floats) &&
                   take_number(args[14], &job.largest) && take_number(args[15], &job.unit_tolerance);
  auto* const tracks = reinterpret_cast<PyArrayObject*>(args[16]);
  if (!fit || !PyArray_CheckExact(args[16]) || !PyArray_CHKFLAGS(tracks, NPY_ARRAY_CARRAY) ||
      PyArray_NBYTES(tracks) != channels * static_cast<npy_intp>(sizeof(Track)) ||
      !is_plain(args[17], NPY_INT64, NPY_ARRAY_CARRAY)) {
    return not_plain();
  }
  auto* const ends = reinterpret_cast<PyArrayObject*>(args[17]);
  job.own_buffer = static_cast<std::int64_t>(buffer);
  job.tracks = {static_cast<Track*>(PyArray_DATA(tracks)), static_cast<std::size_t>(channels)};
  job.ends = {static_cast<std::int64_t*>(PyArray_DATA(ends)), static_cast<std::size_t>(PyArray_SIZE(ends))};
  for (npy_intp i = 0; i < channels; ++i) {
    const auto channel = static_cast<std::size_t>(i);
    const auto nodes = static_cast<std::int64_t>(job.joint_of_node.size());
    const auto animations = static_cast<std::int64_t>(job.ends.size()) - 1;
    if (job.node[channel] < 0 || job.node[channel] >= nodes || job.animation[channel] < 0 ||
        job.animation[channel] >= animations || job.input[channel] < 0 || job.output[channel] < 0) {
      return not_plain();
    }
  }
  bool is_plain = false;
  {
    const GilRelease nogil;
    is_plain = job.run();
  }
  return is_plain ? Py_NewRef(Py_True) : not_plain();
}

}  // namespace

void bind_plain_loading(py::module_& module) {
  define_plain<accessor_layout, 11>(
      module, "accessor_layout",
      "accessor_layout(*args: typing.Any) -> typing.Any\n\nColumns of accessors, and the first fault.");
  define_plain<views_fit, 4>(module, "plain_views_fit",
                             "plain_views_fit(*args: typing.Any) -> typing.Any\n\n"
                             "(buffer, byteOffset, byteLength of views; byteLength of buffers)");
  define_plain<within, 2>(module, "plain_within",
                          "plain_within(*args: typing.Any) -> typing.Any\n\n(numbers, most)");
  define_plain<channel_columns, 9>(
      module, "plain_channel_columns",
      "plain_channel_columns(*args: typing.Any) -> typing.Any\n\n(columns of channels, of samplers, nodes)");
  define_plain<indices, 2>(module, "plain_indices",
                           "plain_indices(*args: typing.Any) -> typing.Any\n\n(whole numbers, how many)");
  define_plain<rest, 4>(
      module, "plain_rest",
      "plain_rest(*args: typing.Any) -> typing.Any\n\n(transforms, how many, most, rounding)");
  define_plain<normalize_rotations, 4>(
      module, "plain_normalize_rotations",
      "plain_normalize_rotations(*args: typing.Any) -> typing.Any\n\n(transforms, largest, most, rounding)");
  define_plain<rest_matrices, 2>(module, "rest_matrices",
                                 "rest_matrices(*args: typing.Any) -> typing.Any\n\n(transforms, parents)");
  define_plain<skin_frame, 7>(module, "plain_skin_frame",
                              "plain_skin_frame(*args: typing.Any) -> typing.Any\n\n"
                              "(stored, joints, model_from_joint, depths, largest, singular, same_factor)");
  define_plain<channel_tracks, 18>(
      module, "plain_channel_tracks",
      "plain_channel_tracks(*args: typing.Any) -> typing.Any\n\n"
      "(columns of channels, joint_of_node, columns of accessors, buffer, floats, limits, tracks, ends)");
}

}  // namespace lissom::bindings
