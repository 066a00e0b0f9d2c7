// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "bindings/plain_arrays.h"
#include "core/geometry/row_checks.h"

namespace lissom::bindings {
namespace {

// Memory of an array that nobody can write any more. It shows its bytes for reading alone, and not the array: NumPy
// refuses to unlock what is viewed of it.
struct SealedMemory {
  py::array array;
};

// The array that owns the memory of another, all of it; none where something else does.
PyArrayObject* owner_of(PyArrayObject* array) {
  PyArrayObject* owner = array;
  while (PyObject* const base = PyArray_BASE(owner)) {
    if (!PyArray_Check(base)) return nullptr;
    owner = reinterpret_cast<PyArrayObject*>(base);
  }
  return PyArray_CHKFLAGS(owner, NPY_ARRAY_OWNDATA) && PyArray_NBYTES(owner) == PyArray_NBYTES(array)
             ? owner
             : nullptr;
}

py::object sealed(const py::array& given) {
  auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
  if (!PyArray_IS_C_CONTIGUOUS(array)) return py::none();
  PyArrayObject* const owner = owner_of(array);
  if (owner == nullptr) return py::none();
  PyArray_CLEARFLAGS(owner, NPY_ARRAY_WRITEABLE);
  const auto held = py::reinterpret_borrow<py::array>(reinterpret_cast<PyObject*>(owner));
  const std::vector<py::ssize_t> shape(given.shape(), given.shape() + given.ndim());
  const std::vector<py::ssize_t> strides(given.strides(), given.strides() + given.ndim());
  py::array view(given.dtype(), shape, strides, given.data(), py::cast(SealedMemory{held}));
  PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(view.ptr()), NPY_ARRAY_WRITEABLE);
  return view;
}

// Whether nobody can ever write an array: its memory is that of bytes, or sealed.
bool is_frozen(PyObject* array) {
  PyObject* owner = array;
  while (owner != nullptr && PyArray_Check(owner)) {
    auto* const view = reinterpret_cast<PyArrayObject*>(owner);
    if (PyArray_ISWRITEABLE(view)) return false;
    owner = PyArray_BASE(view);
  }
  if (owner != nullptr && PyMemoryView_Check(owner)) owner = PyMemoryView_GET_BUFFER(owner)->obj;
  return owner != nullptr && (PyBytes_Check(owner) || held_by<SealedMemory>(owner) != nullptr);
}

// Whether an array is frozen, of one type, and of shape (rows, columns), where these are told (not negative).
bool is_frozen_rows(PyObject* const* args, int type) {
  if (!is_plain(args[0], type)) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(args[0]);
  double rows, columns;
  if (PyArray_NDIM(array) != 2 || !take_number(args[1], &rows) || !take_number(args[2], &columns))
    return false;
  const npy_intp* const sides = PyArray_DIMS(array);
  return (rows < 0 || sides[0] == static_cast<npy_intp>(rows)) &&
         (columns < 0 || sides[1] == static_cast<npy_intp>(columns)) && is_frozen(args[0]);
}

template <class T>
std::span<const T> numbers_of(PyObject* object) {
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  return {static_cast<const T*>(PyArray_DATA(array)), static_cast<std::size_t>(PyArray_SIZE(array))};
}

// (float32 array, rows or -1, columns or -1): itself where it can be kept as it is, and all numbers are finite
PyObject* float_rows(PyObject* const* args) {
  if (!is_frozen_rows(args, NPY_FLOAT) || !are_finite(numbers_of<float>(args[0]))) return not_plain();
  return Py_NewRef(args[0]);
}

// (uint32 array, rows or -1, columns or -1, limit): itself where it can be kept as it is, and all numbers are below
PyObject* index_rows(PyObject* const* args) {
  double limit;
  if (!is_frozen_rows(args, NPY_UINT32) || !take_number(args[3], &limit)) return not_plain();
  const auto numbers = numbers_of<std::uint32_t>(args[0]);
  std::uint32_t largest = 0;
  for (const std::uint32_t number : numbers) largest = std::max(largest, number);
  if (!numbers.empty() && static_cast<double>(largest) >= limit) return not_plain();
  return Py_NewRef(args[0]);
}

}  // namespace

void bind_sealed_memory(py::module_& module) {
  py::class_<SealedMemory>(module, "SealedMemory", py::buffer_protocol(),
                           "The memory of an array that can only be read from now on.")
      .def_buffer([](const SealedMemory& memory) {
        return py::buffer_info(const_cast<void*>(memory.array.data()), 1, "B", 1, {memory.array.nbytes()},
                               {1}, true);
      });
  define_plain<float_rows, 3>(module, "plain_float_rows",
                              "plain_float_rows(*args: typing.Any) -> typing.Any\n\n(array, rows, columns)");
  define_plain<index_rows, 4>(
      module, "plain_index_rows",
      "plain_index_rows(*args: typing.Any) -> typing.Any\n\n(array, rows, columns, limit)");
  module.def(
      "sealed", &sealed, py::arg("array"),
      "Return a view of an array that nobody can write; the caller gives up all other references. None "
      "where the array does not own its memory, or is not contiguous.");
}

}  // namespace lissom::bindings
