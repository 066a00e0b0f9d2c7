// SPDX-License-Identifier: MIT
#pragma once

// One call at the cost of its work. A public function of Python first calls a function named plain_*, which takes the
// arguments as they are and answers None where one of them needs a conversion, or the job refuses them: the checked way
// then converts, or says what is wrong. So a plain function accepts nothing that the checked way refuses, and runs the
// same job on the same numbers.

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
// One table of NumPy's functions for all files; array_functions.cpp imports it.
#define PY_ARRAY_UNIQUE_SYMBOL lissom_numpy_api
#ifndef LISSOM_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/ndarrayobject.h>
// Must come after the one above.
#include <numpy/arrayscalars.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "bindings/gil.h"
#include "core/error.h"

namespace lissom::bindings {

// An array of NumPy's own class, contiguous, aligned, in the machine's byte order; by `flags` also writeable.
inline bool is_plain(PyObject* object, int type, int flags = NPY_ARRAY_CARRAY_RO) {
  if (!PyArray_CheckExact(object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_TYPE(array) == type && PyArray_CHKFLAGS(array, flags) && PyArray_ISNOTSWAPPED(array);
}

// A number of Python or NumPy that any precision holds as np.array(number, dtype) does. Only np.float64 has a precision
// of its own that is wider than float32: `is_wide` is set then.
inline bool take_number(PyObject* object, double* number, bool* is_wide = nullptr) {
  if (PyFloat_CheckExact(object)) {
    *number = PyFloat_AS_DOUBLE(object);
  } else if (PyArray_IsScalar(object, Double)) {
    *number = PyArrayScalar_VAL(object, Double);
    if (is_wide != nullptr) *is_wide = true;
  } else if (PyArray_IsScalar(object, Float)) {
    *number = PyArrayScalar_VAL(object, Float);
  } else if (PyLong_CheckExact(object)) {
    *number = PyLong_AsDouble(object);
    if (*number == -1.0 && PyErr_Occurred()) {  // beyond the range of a double
      PyErr_Clear();
      return false;
    }
  } else {
    return false;
  }
  return true;
}

// The arrays of one call, of one precision and of the same leading axes, or of none where one serves all results.
template <class T>
class PlainArrays {
 public:
  static constexpr int kType = sizeof(T) == 8 ? NPY_DOUBLE : NPY_FLOAT;

  // Views an input (..., own); false where it does not fit as it is.
  bool take(PyObject* object, std::initializer_list<npy_intp> own, std::span<const T>* found) {
    if (!is_plain(object, kType)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const int leading = PyArray_NDIM(array) - static_cast<int>(own.size());
    if (leading < 0) return false;
    const npy_intp* side = PyArray_DIMS(array) + leading;
    for (const npy_intp length : own) {
      if (*side++ != length) return false;
    }
    if (leading > 0 && !takes_batch(leading, PyArray_DIMS(array))) return false;
    *found = {static_cast<const T*>(PyArray_DATA(array)), static_cast<std::size_t>(PyArray_SIZE(array))};
    remember(found->data(), found->size_bytes());
    return true;
  }

  // The same of a number for each result or for all; one of Python is stored in `number`.
  bool take_numbers(PyObject* object, T* number, std::span<const T>* found) {
    double wide;
    if (!take_number(object, &wide)) return take(object, {}, found);
    *number = static_cast<T>(wide);
    *found = {number, 1};
    return true;
  }

  // An input that is viewed elsewhere: results must not overlap it.
  void remember(const void* data, std::size_t bytes) {
    if (!bytes) return;  // an empty array has no address
    if (range_count_ == kMostRanges) throw std::logic_error("more inputs than a plain function may have");
    ranges_[range_count_++] = {data, static_cast<const char*>(data) + bytes};
  }

  // Its leading axes.
  bool takes_batch(int leading, const npy_intp* sides) {
    if (batch_rank_ > 0) {
      if (leading != batch_rank_) return false;
      for (int i = 0; i < leading; ++i) {
        if (sides[i] != batch_[i]) return false;
      }
      return true;
    }
    batch_rank_ = leading;
    batch_ = sides;
    for (int i = 0; i < leading; ++i) count_ *= sides[i];
    return true;
  }

  // How many results there are; and whether there is one, without leading axes.
  npy_intp count() const { return count_; }
  bool is_single() const { return batch_rank_ == 0; }

  // A new array (..., own) of any type, after all inputs; null with an error set where NumPy makes no such array.
  pybind11::object make(std::initializer_list<npy_intp> own, int type) const {
    npy_intp sides[NPY_MAXDIMS + 4];  // may be too many: NumPy then refuses
    npy_intp* side = sides;
    for (int i = 0; i < batch_rank_; ++i) *side++ = batch_[i];
    for (const npy_intp length : own) *side++ = length;
    return pybind11::reinterpret_steal<pybind11::object>(
        PyArray_SimpleNew(static_cast<int>(side - sides), sides, type));
  }

  // The array (..., own) of the results, after all inputs: `given`, or a new one where that is None. Null where it does
  // not fit as it is; an error is set where NumPy makes no such array.
  pybind11::object result(PyObject* given, std::initializer_list<npy_intp> own, std::span<T>* found) const {
    const pybind11::object array = given == Py_None ? make(own, kType) : fitting(given, own);
    if (array) {
      auto* const numbers = reinterpret_cast<PyArrayObject*>(array.ptr());
      *found = {static_cast<T*>(PyArray_DATA(numbers)), static_cast<std::size_t>(PyArray_SIZE(numbers))};
    }
    return array;
  }

 private:
  static constexpr int kMostRanges = 64;
  struct Range {
    const void *begin, *end;
  };

  // `given` where results fit into it; else null.
  pybind11::object fitting(PyObject* given, std::initializer_list<npy_intp> own) const {
    if (!is_plain(given, kType, NPY_ARRAY_CARRAY)) return {};
    auto* const array = reinterpret_cast<PyArrayObject*>(given);
    if (PyArray_NDIM(array) != batch_rank_ + static_cast<int>(own.size())) return {};
    const npy_intp* side = PyArray_DIMS(array);
    for (int i = 0; i < batch_rank_; ++i) {
      if (*side++ != batch_[i]) return {};
    }
    for (const npy_intp length : own) {
      if (*side++ != length) return {};
    }
    if (overlaps(PyArray_DATA(array), PyArray_NBYTES(array))) return {};
    return pybind11::reinterpret_borrow<pybind11::object>(given);
  }

  bool overlaps(const void* data, npy_intp bytes) const {
    const void* const end = static_cast<const char*>(data) + bytes;
    for (int i = 0; i < range_count_; ++i) {
      if (data < ranges_[i].end && ranges_[i].begin < end) return true;
    }
    return false;
  }

  int batch_rank_ = 0;
  const npy_intp* batch_ = nullptr;
  npy_intp count_ = 1;
  int range_count_ = 0;
  Range ranges_[kMostRanges];
};

// The object that pybind11 holds, where `object` is of its class and has been initialised; else null.
template <class Held>
Held* held_by(PyObject* object) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(pybind11::type::of<Held>().ptr());
  if (Py_TYPE(object) != type) return nullptr;
  auto* const instance = reinterpret_cast<pybind11::detail::instance*>(object);
  return static_cast<Held*>(instance->get_value_and_holder().value_ptr());
}

// Runs work(), which returns an Error, and releases the GIL where its `nanoseconds` are worth it: that takes about 50,
// and other threads may then keep it for long.
template <class Work>
Error run_plain(double nanoseconds, const Work& work) {
  constexpr double kWorthReleasing = 5e3;
  if (nanoseconds < kWorthReleasing) return work();
  const GilRelease nogil;
  return work();
}

// What a plain function returns: `result`, or None where a job has refused.
inline PyObject* unless(const Error& error, pybind11::object result) {
  return error ? Py_NewRef(Py_None) : result.release().ptr();
}

// None, or null where an error is set.
inline PyObject* not_plain() { return PyErr_Occurred() != nullptr ? nullptr : Py_NewRef(Py_None); }

// Defines module.name(*args), which takes `count` arguments.
using PlainFunction = PyObject* (*)(PyObject* const* args);

template <PlainFunction function, int count>
PyObject* call_plain(PyObject* /*module*/, PyObject* const* args, Py_ssize_t given) {
  if (given != count) {
    PyErr_Format(PyExc_TypeError, "a plain function takes %d arguments, got %zd", count, given);
    return nullptr;
  }
  try {
    return function(args);
  } catch (const Interrupted&) {  // Python's exception is set already
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

// `doc` begins with a signature as pybind11's, for stubs; it and `name` live as long as the process.
template <PlainFunction function, int count>
void define_plain(pybind11::module_& module, const char* name, const char* doc) {
  static PyMethodDef method = {
      name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_plain<function, count>)),
      METH_FASTCALL, doc};
  const pybind11::object module_name = module.attr("__name__");
  module.attr(name) =
      pybind11::reinterpret_steal<pybind11::object>(PyCFunction_NewEx(&method, nullptr, module_name.ptr()));
}

}  // namespace lissom::bindings
