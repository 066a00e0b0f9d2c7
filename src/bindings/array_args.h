// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bindings/gil.h"
#include "core/error.h"

namespace lissom::bindings {

namespace py = pybind11;

// One axis of an expected shape: a fixed length, or a name
// whose length is that of the first argument that has it.
struct Axis {
  Axis(py::ssize_t fixed_length) : length(fixed_length) {}  // NOLINT(google-explicit-constructor)
  Axis(const char* axis_name) : name(axis_name) {}          // NOLINT(google-explicit-constructor)
  const char* name = nullptr;
  py::ssize_t length = -1;
};

// "..." as the first axis of a shape stands for any number of leading batch axes. They must be equal in all
// arguments that have them; batch() is their product.
inline constexpr const char* kBatch = "...";

// Whether `object` is a numpy.ma.MaskedArray, whose mask views of its memory do not see.
bool is_masked(py::handle object);
// The same, or a list or tuple that holds one, or lists that do: no deeper, since they may hold themselves.
bool holds_masked(py::handle object, int depth = 2);

// The one argument checker. Named after the public function, it views NumPy arrays as spans without copying
// and raises in one grammar: function, argument, dimension, expected, got, what to do. Wrong type, dtype,
// layout: TypeError. Wrong shape: ValueError. The arrays must outlive the spans: hold them in the binding.
class ArrayArgs {
 public:
  explicit ArrayArgs(const char* function) : function_(function) { ranges_.reserve(16); }

  // True where `value` holds doubles: the choice between the float32 and the float64 path.
  bool is_double(const py::object& value, const char* argument) const;

  template <class T>
  std::span<const T> in(const py::object& value, const char* argument, std::initializer_list<Axis> shape) {
    const py::array array = checked(value, argument, py::dtype::of<T>(), shape, false);
    const auto* data = static_cast<const T*>(array.data());
    remember(argument, data, static_cast<std::size_t>(array.nbytes()));
    return {data, static_cast<std::size_t>(array.size())};
  }

  // An output: writeable, and apart from all inputs seen so far.
  template <class T>
  std::span<T> out(const py::object& value, const char* argument, std::initializer_list<Axis> shape) {
    py::array array = checked(value, argument, py::dtype::of<T>(), shape, true);
    auto* data = static_cast<T*>(array.mutable_data());
    refuse_overlap(argument, data, static_cast<std::size_t>(array.nbytes()));
    remember(argument, data, static_cast<std::size_t>(array.nbytes()));
    return {data, static_cast<std::size_t>(array.size())};
  }

  // Length of a named axis, after an argument that has it.
  std::size_t length(std::string_view axis) const;
  // Product of the leading batch axes; 1 where there are none.
  std::size_t batch() const;

  [[noreturn]] void type_error(const char* argument, const std::string& what) const;
  [[noreturn]] void value_error(const char* argument, const std::string& what) const;

 private:
  struct Binding {
    std::string_view name;
    py::ssize_t length;
    const char* argument;
  };
  struct Range {
    const char* argument;
    const std::byte* begin;
    const std::byte* end;
  };

  void refuse_masked(const py::object& value, const char* argument) const;
  py::array checked(const py::object& value, const char* argument, const py::dtype& dtype,
                    std::initializer_list<Axis> shape, bool writeable);
  void check_shape(const py::array& array, const char* argument, std::initializer_list<Axis> shape);
  void remember(const char* argument, const void* data, std::size_t bytes);
  void refuse_overlap(const char* argument, const void* data, std::size_t bytes) const;

  const char* function_;
  std::vector<Binding> bindings_;
  std::vector<Range> ranges_;
  std::vector<py::ssize_t> batch_shape_;
  const char* batch_argument_ = nullptr;
};

// Scalars as rows of a struct of the same scalars.
template <class Struct, class T>
std::span<const Struct> rows_of(std::span<const T> scalars) {
  static_assert(sizeof(Struct) % sizeof(T) == 0);
  return {reinterpret_cast<const Struct*>(scalars.data()), scalars.size() * sizeof(T) / sizeof(Struct)};
}
template <class Struct, class T>
std::span<Struct> rows_of(std::span<T> scalars) {
  static_assert(sizeof(Struct) % sizeof(T) == 0);
  return {reinterpret_cast<Struct*>(scalars.data()), scalars.size() * sizeof(T) / sizeof(Struct)};
}

// Raises a core error as ValueError, with the public function's name in front.
void raise_if(const char* function, const Error& error);

// Calls work() with the GIL released, and raises the error that it returns.
template <class Work>
void without_gil(const char* function, const Work& work) {
  Error error;
  {
    const GilRelease nogil;
    error = work();
  }
  raise_if(function, error);
}

// The same for a job's run().
template <class Job>
void run(const char* function, Job&& job) {
  without_gil(function, [&] { return job.run(); });
}

}  // namespace lissom::bindings
