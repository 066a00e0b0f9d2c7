// SPDX-License-Identifier: MIT
#include "bindings/array_args.h"

namespace lissom::bindings {
namespace {

// NPY_ARRAY_ALIGNED: an unaligned float32 array can be
// C-contiguous, and reading it would be undefined behaviour.
constexpr int kAligned = 0x0100;

std::string text(const py::handle& value) { return py::str(value).cast<std::string>(); }

std::string shape_text(const py::array& array) {
  std::string result = "(";
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    if (axis) result += ", ";
    result += std::to_string(array.shape(axis));
  }
  return result + (array.ndim() == 1 ? ",)" : ")");
}

std::string shape_text(std::initializer_list<Axis> shape) {
  std::string result = "(";
  bool first = true;
  for (const Axis& axis : shape) {
    if (!first) result += ", ";
    first = false;
    result += axis.name ? std::string(axis.name) : std::to_string(axis.length);
  }
  return result + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

bool is_masked(py::handle object) {
  // What is no array at all, or one of NumPy's own type, is asked no further.
  if (!py::isinstance<py::array>(object) ||
      Py_TYPE(object.ptr()) == py::detail::npy_api::get().PyArray_Type_) {
    return false;
  }
  return py::isinstance(object, py::module_::import("numpy.ma").attr("MaskedArray"));
}

bool holds_masked(py::handle object, int depth) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return is_masked(object);
  if (depth == 0) return false;
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(object.ptr());
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (holds_masked(PySequence_Fast_GET_ITEM(object.ptr(), i), depth - 1)) return true;
  }
  return false;
}

void ArrayArgs::refuse_masked(const py::object& value, const char* argument) const {
  if (!is_masked(value)) return;
  type_error(argument, "is a masked array, whose mask lissom would ignore; pass its .filled(...)");
}

bool ArrayArgs::is_double(const py::object& value, const char* argument) const {
  if (!py::isinstance<py::array>(value)) {
    type_error(argument, std::string("must be a NumPy array, got ") + Py_TYPE(value.ptr())->tp_name +
                             "; convert with np.asarray");
  }
  refuse_masked(value, argument);
  const auto array = py::reinterpret_borrow<py::array>(value);
  const auto dtype = array.dtype();
  if (dtype.equal(py::dtype::of<float>())) return false;
  if (dtype.equal(py::dtype::of<double>())) return true;
  type_error(argument, "must be float32 or float64, got " + text(dtype) + "; convert with " + argument +
                           ".astype(np.float32)");
}

py::array ArrayArgs::checked(const py::object& value, const char* argument, const py::dtype& dtype,
                             std::initializer_list<Axis> shape, bool writeable) {
  if (!py::isinstance<py::array>(value)) {
    type_error(argument,
               std::string("must be a NumPy array, got ") + Py_TYPE(value.ptr())->tp_name +
                   (writeable ? "; pass np.empty of the expected shape" : "; convert with np.asarray"));
  }
  refuse_masked(value, argument);
  auto array = py::reinterpret_borrow<py::array>(value);
  if (!array.dtype().equal(dtype)) {
    const std::string expected = text(dtype);
    type_error(argument,
               "must be " + expected + ", got " + text(array.dtype()) +
                   (writeable ? "; allocate it as np.empty(shape, np." + expected + ")"
                              : "; convert with " + std::string(argument) + ".astype(np." + expected + ")"));
  }
  check_shape(array, argument, shape);
  if (!(array.flags() & py::array::c_style)) {
    type_error(argument, writeable ? "must be C-contiguous; pass a plain np.empty array"
                                   : "must be C-contiguous; convert with np.ascontiguousarray(" +
                                         std::string(argument) + ")");
  }
  if (!(array.flags() & kAligned)) {
    type_error(argument, "is not aligned in memory; copy it with np.array(" + std::string(argument) + ")");
  }
  if (writeable && !array.writeable()) {
    value_error(argument, "is read-only; pass an array that may be written");
  }
  return array;
}

void ArrayArgs::check_shape(const py::array& array, const char* argument, std::initializer_list<Axis> shape) {
  const auto fail = [&](const std::string& why) {
    value_error(argument, "must have shape " + shape_text(shape) + ", got " + shape_text(array) + why);
  };
  const Axis* axis = shape.begin();
  py::ssize_t own_axes = static_cast<py::ssize_t>(shape.size());
  py::ssize_t batch_axes = 0;
  if (axis != shape.end() && axis->name && std::string_view(axis->name) == kBatch) {
    ++axis;
    --own_axes;
    batch_axes = array.ndim() - own_axes;
    if (batch_axes < 0) fail("");
    const std::vector<py::ssize_t> leading(array.shape(), array.shape() + batch_axes);
    if (!batch_argument_) {
      batch_shape_ = leading;
      batch_argument_ = argument;
    } else if (leading != batch_shape_) {
      fail(std::string(": the leading axes differ from those of ") + batch_argument_);
    }
  } else if (array.ndim() != own_axes) {
    fail("");
  }
  for (py::ssize_t i = 0; i < own_axes; ++i, ++axis) {
    const py::ssize_t got = array.shape(batch_axes + i);
    if (!axis->name) {
      if (got != axis->length) fail("");
      continue;
    }
    bool known = false;
    for (const Binding& binding : bindings_) {
      if (binding.name != axis->name) continue;
      known = true;
      if (binding.length != got) {
        fail(std::string(": ") + axis->name + " is " + std::to_string(binding.length) + " in " +
             binding.argument);
      }
    }
    if (!known) bindings_.push_back({axis->name, got, argument});
  }
}

std::size_t ArrayArgs::length(std::string_view axis) const {
  for (const Binding& binding : bindings_) {
    if (binding.name == axis) return static_cast<std::size_t>(binding.length);
  }
  throw std::logic_error("axis never bound: " + std::string(axis));
}

std::size_t ArrayArgs::batch() const {
  std::size_t product = 1;
  for (const py::ssize_t length : batch_shape_) product *= static_cast<std::size_t>(length);
  return product;
}

void ArrayArgs::remember(const char* argument, const void* data, std::size_t bytes) {
  if (!bytes) return;  // an empty array has no address
  const auto* begin = static_cast<const std::byte*>(data);
  ranges_.push_back({argument, begin, begin + bytes});
}

void ArrayArgs::refuse_overlap(const char* argument, const void* data, std::size_t bytes) const {
  if (!bytes) return;
  const auto* begin = static_cast<const std::byte*>(data);
  const auto* end = begin + bytes;
  for (const Range& range : ranges_) {
    if (begin < range.end && range.begin < end) {
      value_error(argument,
                  std::string("shares memory with ") + range.argument + "; pass an array of its own");
    }
  }
}

void ArrayArgs::type_error(const char* argument, const std::string& what) const {
  throw py::type_error(std::string(function_) + ": " + argument + " " + what);
}

void ArrayArgs::value_error(const char* argument, const std::string& what) const {
  throw py::value_error(std::string(function_) + ": " + argument + " " + what);
}

void raise_if(const char* function, const Error& error) {
  if (error) throw py::value_error(std::string(function) + ": " + error.sentence());
}

}  // namespace lissom::bindings
