// SPDX-License-Identifier: MIT
// The plain function of clips. See plain_arrays.h.
#include <cmath>
#include <utility>

#include "bindings/held_tracks.h"
#include "bindings/module.h"
#include "bindings/plain_arrays.h"

namespace lissom::bindings {
namespace {

// One of Python's loop modes; false where `object` is none as it is.
bool take_loop(PyObject* object, Loop* loop) {
  if (object == Py_True) {
    *loop = Loop::kYes;
  } else if (object == Py_False) {
    *loop = Loop::kNo;
  } else if (PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, "ping_pong") == 0) {
    *loop = Loop::kPingPong;
  } else {
    return false;
  }
  return true;
}

// One time as a number, or an array of them.
template <class T>
bool take_times(PyObject* object, PlainArrays<T>& arrays, double* time, std::span<const double>* times) {
  constexpr double kLargestWhole =
      9007199254740992.0;  // beyond, whole numbers of Python need not fit an array
  if (take_number(object, time)) {
    *times = {time, 1};
    return !PyLong_CheckExact(object) || std::fabs(*time) <= kLargestWhole;
  }
  if (!is_plain(object, NPY_DOUBLE)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  const int rank = PyArray_NDIM(array);
  if (rank > 0) arrays.takes_batch(rank, PyArray_DIMS(array));
  *times = {static_cast<const double*>(PyArray_DATA(array)), static_cast<std::size_t>(PyArray_SIZE(array))};
  arrays.remember(times->data(), times->size_bytes());
  return true;
}

// (Tracks or None, times, loop, out or None)
PyObject* sample(PyObject* const* args) {
  constexpr double kNanosecondsPerJoint = 20;
  const auto* tracks = held_by<Tracks>(args[0]);
  Loop loop;
  if (tracks == nullptr || !take_loop(args[2], &loop)) return not_plain();
  return tracks->with_job([&]<class T>(auto& job, T) {
    PlainArrays<T> arrays;
    double time;
    if (!take_times(args[1], arrays, &time, &job.times)) return not_plain();
    const auto joints = static_cast<npy_intp>(job.tracks->joint_count());
    py::object out = arrays.result(args[3], {joints, 10}, &job.out);
    if (!out) return not_plain();
    job.loop = loop;
    const double nanoseconds = kNanosecondsPerJoint * static_cast<double>(arrays.count() * joints);
    return unless(run_plain(nanoseconds, [&] { return job.run(); }), std::move(out));
  });
}

}  // namespace

void bind_plain_tracks(py::module_& module) {
  define_plain<sample, 4>(module, "plain_sample",
                          "plain_sample(*args: typing.Any) -> typing.Any\n\n(tracks, times, loop, out)");
}

}  // namespace lissom::bindings
