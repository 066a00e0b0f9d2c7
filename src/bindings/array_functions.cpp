// SPDX-License-Identifier: MIT
// The generalized ufuncs of lissom.quat, lissom.dual_quat and lissom.trs, and a fast path for calls that need no
// feature of a ufunc: where one element takes 50 ns, its 500 ns are most of the time.
#define LISSOM_IMPORTS_NUMPY
#include "bindings/plain_arrays.h"
// Must come after the one above.
#include <numpy/ufuncobject.h>

#include <cfenv>
#include <memory>
#include <string>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/arrays/array_function.h"
#include "core/simd/isa.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define LISSOM_SSE_FLAGS 1
#endif

namespace lissom::bindings {

namespace py = pybind11;

namespace {

static_assert(sizeof(npy_intp) == sizeof(std::ptrdiff_t));

// Restores the floating-point exception flags. Loops compute operands that select() then drops (0 / 0, say), and NumPy
// would warn of them: NaN propagates here without a warning.
class KeptFlags {
 public:
#ifdef LISSOM_SSE_FLAGS
  KeptFlags() : state_(_mm_getcsr()) {}
  ~KeptFlags() { _mm_setcsr(state_); }
#else
  KeptFlags() { std::fegetenv(&state_); }
  ~KeptFlags() { std::fesetenv(&state_); }
#endif
  KeptFlags(const KeptFlags&) = delete;
  KeptFlags& operator=(const KeptFlags&) = delete;

 private:
#ifdef LISSOM_SSE_FLAGS
  unsigned state_;
#else
  std::fenv_t state_;
#endif
};

// A side of variable length: a letter in the signature. No signature has more than one, and it comes before all
// numbers, "(n,4)": so its length is the first count after the number of rows.
constexpr npy_intp kLetter = -1;

// One operand's core dimensions.
struct Shape {
  int rank;
  npy_intp sides[2];

  // The numbers of a row, `letter` being the length of the letter's side.
  npy_intp size(npy_intp letter) const {
    npy_intp product = 1;
    for (int i = 0; i < rank; ++i) product *= sides[i] == kLetter ? letter : sides[i];
    return product;
  }
};

// Data that NumPy keeps pointers to for the life of the ufunc, which is that of the process.
struct Registration {
  void* data[2];  // first, so that a ufunc's `data` points to the Registration
  PyUFuncGenericFunction loops[2];
  char types[2 * kMaxOperands];
  ArrayFunction function;
  Shape shapes[kMaxOperands];
  std::string doc;  // begins with a signature as pybind11's, for stubs
  PyMethodDef method;
};

// "(4),()->(3,3)" or "(n,4)->(n,4)".
void read_shapes(const char* signature, Shape* shapes) {
  Shape* shape = shapes - 1;
  for (const char* at = signature; *at; ++at) {
    if (*at == '(') *++shape = {0, {1, 1}};
    if (*at >= 'a' && *at <= 'z') shape->sides[shape->rank++] = kLetter;
    if (*at < '0' || *at > '9') continue;
    npy_intp side = 0;
    for (; *at >= '0' && *at <= '9'; ++at) side = 10 * side + (*at - '0');
    --at;
    shape->sides[shape->rank++] = side;
  }
}

// The Python layer finds the row and writes the message.
void raise_no_answer() { PyErr_SetString(PyExc_ValueError, "there is no answer for one of the rows"); }

// Called by a ufunc, without the GIL: `data` is the loop of the core.
void call_loop(char** args, const npy_intp* counts, const npy_intp* strides, void* data) {
  std::ptrdiff_t broken;
  {
    const KeptFlags flags;
    broken = reinterpret_cast<ArrayLoop>(data)(args, reinterpret_cast<const std::ptrdiff_t*>(counts),
                                               reinterpret_cast<const std::ptrdiff_t*>(strides));
  }
  if (broken < 0) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  raise_no_answer();
  PyGILState_Release(gil);
}

// ---- The fast path. ----

// Inputs and outputs that need no conversion for one call of a loop: arrays of one precision, contiguous rows, of one
// batch shape or single rows, and numbers.
class FastCall {
 public:
  explicit FastCall(const Registration& registration) : r_(registration) {}
  ~FastCall() {
    for (int i = 0; i < made_; ++i) Py_XDECREF(outputs_[i]);
  }
  FastCall(const FastCall&) = delete;
  FastCall& operator=(const FastCall&) = delete;

  bool take_inputs(PyObject* const* args) {
    const ArrayFunction& f = r_.function;
    for (int i = 0; i < f.input_count; ++i) {
      if (!take_input(i, args[i])) return false;
    }
    if (type_ == NPY_NOTYPE || (type_ == NPY_FLOAT && has_wide_number_)) return false;
    for (int i = 0; i < f.input_count; ++i) place_number(i);
    return true;
  }

  // Of the user's arrays.
  bool take_outputs(PyObject* out) {
    const ArrayFunction& f = r_.function;
    if (f.output_count == 1) return take_output(0, out);
    if (!PyTuple_CheckExact(out) || PyTuple_GET_SIZE(out) != f.output_count) return false;
    for (int i = 0; i < f.output_count; ++i) {
      if (!take_output(i, PyTuple_GET_ITEM(out, i))) return false;
    }
    return true;
  }

  bool make_outputs() {
    for (; made_ < r_.function.output_count; ++made_) {
      const int operand = r_.function.input_count + made_;
      const Shape& shape = r_.shapes[operand];
      npy_intp sides[NPY_MAXDIMS + 2];  // may be too many: NumPy then raises
      for (int i = 0; i < batch_rank_; ++i) sides[i] = batch_[i];
      for (int i = 0; i < shape.rank; ++i) sides[batch_rank_ + i] = side(shape, i);
      const int type = r_.function.is_truth[operand] ? NPY_BOOL : type_;
      PyObject* made = PyArray_SimpleNew(batch_rank_ + shape.rank, sides, type);
      if (made == nullptr) return false;
      set_output(made_, made);
    }
    return true;
  }

  // False with an error set, where a row has no answer.
  bool run() {
    const ArrayFunction& f = r_.function;
    const bool is_double = type_ == NPY_DOUBLE;
    const ArrayLoop loop = is_double ? f.doubles.run : f.floats.run;
    // A user's array is written only when every row has an answer.
    const ArrayLoop search = made_ ? nullptr : is_double ? f.doubles.search : f.floats.search;
    const npy_intp scalar = is_double ? 8 : 4;
    npy_intp strides[3 * kMaxOperands];
    const int operand_count = f.input_count + f.output_count;
    npy_intp* core = strides + operand_count;
    npy_intp numbers = 0;  // of a row
    for (int i = 0; i < operand_count; ++i) {
      const Shape& shape = r_.shapes[i];
      const npy_intp size = f.is_truth[i] ? 1 : scalar * shape.size(letter_);
      strides[i] = is_single_[i] ? 0 : size;
      numbers += shape.size(letter_);
      if (shape.rank == 2) *core++ = scalar * side(shape, 1);
      if (shape.rank >= 1) *core++ = scalar;
    }
    const npy_intp counts[] = {count_, letter_};  // sides that are numbers are known to loops
    const npy_intp items = letter_ == kLetter ? count_ : count_ * letter_;
    PyThreadState* released = items > kWorthReleasing ? PyEval_SaveThread() : nullptr;
    std::ptrdiff_t broken = -1;
    {
      const KeptFlags flags;
      const double nanoseconds = kNanosecondsPerNumber * static_cast<double>(numbers);
      const auto run_all = [&](ArrayLoop each) {
        return run_rows(each, operand_count, nanoseconds, args_, counts, strides);
      };
      if (search) broken = run_all(search);
      if (broken < 0) broken = run_all(loop);
    }
    if (released) PyEval_RestoreThread(released);
    if (broken >= 0) raise_no_answer();
    return broken < 0;
  }

  // A new reference; arrays without dimensions become scalars, as from a ufunc.
  PyObject* result(PyObject* out) {
    if (out != nullptr) return Py_NewRef(out);
    const int count = made_;
    made_ = 0;
    if (count == 1) return PyArray_Return(reinterpret_cast<PyArrayObject*>(outputs_[0]));
    PyObject* tuple = PyTuple_New(count);
    for (int i = 0; i < count; ++i) {
      // Steals our reference in any case.
      PyObject* item = PyArray_Return(reinterpret_cast<PyArrayObject*>(outputs_[i]));
      if (tuple != nullptr && item != nullptr) {
        PyTuple_SET_ITEM(tuple, i, item);
      } else {
        Py_XDECREF(item);
        Py_CLEAR(tuple);
      }
    }
    return tuple;
  }

 private:
  // Releasing the GIL costs about 50 ns.
  static constexpr std::ptrdiff_t kWorthReleasing = 500;
  // Of a row's inputs and outputs, by the cheapest functions: a product of quaternions takes a nanosecond.
  static constexpr double kNanosecondsPerNumber = 0.08;

  npy_intp side(const Shape& shape, int i) const {
    return shape.sides[i] == kLetter ? letter_ : shape.sides[i];
  }
  // The first side of a letter defines its length.
  bool has_core(PyArrayObject* array, const Shape& shape) {
    const int batch_rank = PyArray_NDIM(array) - shape.rank;
    if (batch_rank < 0) return false;
    for (int i = 0; i < shape.rank; ++i) {
      const npy_intp found = PyArray_DIM(array, batch_rank + i);
      if (shape.sides[i] == kLetter && letter_ == kLetter) letter_ = found;
      if (found != side(shape, i)) return false;
    }
    return true;
  }
  bool has_batch(PyArrayObject* array, int batch_rank) const {
    if (batch_rank != batch_rank_) return false;
    for (int i = 0; i < batch_rank; ++i) {
      if (PyArray_DIM(array, i) != batch_[i]) return false;
    }
    return true;
  }

  bool take_input(int i, PyObject* object) {
    const Shape& shape = r_.shapes[i];
    is_single_[i] = true;
    if (shape.rank == 0 && take_number(object, &numbers_[i].wide, &has_wide_number_)) {
      args_[i] = nullptr;
      return true;
    }
    if (!PyArray_CheckExact(object)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const int type = PyArray_TYPE(array);
    if (type_ == NPY_NOTYPE && (type == NPY_FLOAT || type == NPY_DOUBLE)) type_ = type;
    if (!is_plain(object, type_) || !has_core(array, shape)) return false;
    args_[i] = PyArray_BYTES(array);
    const int batch_rank = PyArray_NDIM(array) - shape.rank;
    if (batch_rank == 0) return true;
    is_single_[i] = false;
    if (batch_rank_ > 0) return has_batch(array, batch_rank);
    batch_rank_ = batch_rank;
    batch_ = PyArray_DIMS(array);
    for (int axis = 0; axis < batch_rank; ++axis) count_ *= batch_[axis];
    return true;
  }
  // A number has the arrays' precision.
  void place_number(int i) {
    if (args_[i] != nullptr) return;
    if (type_ == NPY_FLOAT) numbers_[i].narrow = static_cast<float>(numbers_[i].wide);
    args_[i] = reinterpret_cast<char*>(&numbers_[i]);
  }

  bool take_output(int i, PyObject* object) {
    const int operand = r_.function.input_count + i;
    const Shape& shape = r_.shapes[operand];
    const bool is_truth = r_.function.is_truth[operand];
    if (!is_plain(object, is_truth ? NPY_BOOL : type_, NPY_ARRAY_CARRAY)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    if (!has_core(array, shape) || !has_batch(array, PyArray_NDIM(array) - shape.rank)) return false;
    const char* begin = PyArray_BYTES(array);
    const char* end = begin + PyArray_NBYTES(array);
    const npy_intp scalar = type_ == NPY_DOUBLE ? 8 : 4;
    for (int other = 0; other < operand; ++other) {
      const npy_intp rows = is_single_[other] ? 1 : count_;
      const npy_intp width = r_.function.is_truth[other] ? 1 : scalar * r_.shapes[other].size(letter_);
      if (end <= args_[other] || args_[other] + rows * width <= begin) continue;
      // The very same rows are read before they are written; NumPy resolves any other overlap.
      const bool is_same = other < r_.function.input_count && args_[other] == begin && !is_truth &&
                           (!is_single_[other] || count_ == 1) &&
                           r_.shapes[other].size(letter_) == shape.size(letter_);
      if (!is_same) return false;
    }
    args_[operand] = PyArray_BYTES(array);
    is_single_[operand] = false;
    return true;
  }
  void set_output(int i, PyObject* made) {
    outputs_[i] = made;
    args_[r_.function.input_count + i] = PyArray_BYTES(reinterpret_cast<PyArrayObject*>(made));
    is_single_[r_.function.input_count + i] = false;
  }

  const Registration& r_;
  int type_ = NPY_NOTYPE;
  bool has_wide_number_ = false;
  int batch_rank_ = 0;
  const npy_intp* batch_ = nullptr;
  std::ptrdiff_t count_ = 1;
  npy_intp letter_ = kLetter;  // the length of its side, once known
  char* args_[kMaxOperands];
  bool is_single_[kMaxOperands];
  union {
    double wide;
    float narrow;
  } numbers_[kMaxOperands];
  PyObject* outputs_[kMaxOperands];
  int made_ = 0;  // outputs that are ours
};

// f(*inputs, out=None): on the fast path where possible, else as a ufunc. An `out` that does not fit the fast path
// and a masked array raise TypeError: the Python layer then checks them. `self` is the ufunc.
PyObject* call_function(PyObject* self, PyObject* const* args, Py_ssize_t arg_count) {
  const auto& registration =
      *reinterpret_cast<const Registration*>(reinterpret_cast<const PyUFuncObject*>(self)->data);
  const int input_count = registration.function.input_count;
  PyObject* out = arg_count > input_count && args[input_count] != Py_None ? args[input_count] : nullptr;
  if (arg_count < input_count || arg_count > input_count + 1) {
    PyErr_Format(PyExc_TypeError, "%s takes %d arrays and one for the result", registration.function.name,
                 input_count);
    return nullptr;
  }
  FastCall call(registration);
  const bool is_fast = call.take_inputs(args);
  if (out != nullptr) {
    if (!is_fast || !call.take_outputs(out)) {
      PyErr_SetString(PyExc_TypeError, "out does not fit as it is");
      return nullptr;
    }
  } else if (!is_fast) {
    for (int i = 0; i < input_count; ++i) {
      if (!holds_masked(args[i])) continue;
      PyErr_SetString(PyExc_TypeError, "a masked array");
      return nullptr;
    }
    return PyObject_Vectorcall(self, args, static_cast<std::size_t>(input_count), nullptr);
  } else if (!call.make_outputs()) {
    return nullptr;
  }
  return call.run() ? call.result(out) : nullptr;
}

py::object make_function(const ArrayFunction& function, const py::module_& module) {
  auto owned = std::make_unique<Registration>();
  Registration* const kept = owned.get();
  kept->function = function;
  kept->data[0] = reinterpret_cast<void*>(function.floats.run);
  kept->data[1] = reinterpret_cast<void*>(function.doubles.run);
  kept->loops[0] = kept->loops[1] = call_loop;
  read_shapes(function.signature, kept->shapes);
  const int operand_count = function.input_count + function.output_count;
  for (int i = 0; i < operand_count; ++i) {
    kept->types[i] = function.is_truth[i] ? NPY_BOOL : NPY_FLOAT;
    kept->types[operand_count + i] = function.is_truth[i] ? NPY_BOOL : NPY_DOUBLE;
  }
  const auto ufunc = py::reinterpret_steal<py::object>(PyUFunc_FromFuncAndDataAndSignature(
      kept->loops, kept->data, kept->types, 2, function.input_count, function.output_count, PyUFunc_None,
      function.name, "", 0, function.signature));
  if (!ufunc) throw py::error_already_set();
  owned.release();  // owned by NumPy for the life of the process
  const std::string array = "numpy.typing.NDArray[typing.Any]";
  std::string result = array;
  for (int i = 1; i < function.output_count; ++i) result += ", " + array;
  if (function.output_count > 1) result = "tuple[" + result + "]";
  kept->doc = function.name + ("(*args: typing.Any) -> " + result + "\n\n" + function.signature);
  kept->method = {function.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_function)),
                  METH_FASTCALL, kept->doc.c_str()};
  const py::object name = module.attr("__name__");
  return py::reinterpret_steal<py::object>(PyCFunction_NewEx(&kept->method, ufunc.ptr(), name.ptr()));
}

}  // namespace

void bind_array_functions(py::module_& module) {
  if (PyArray_ImportNumPyAPI() < 0 || PyUFunc_ImportUFuncAPI() < 0) throw py::error_already_set();
  for (const ArrayFunction& function : array_functions(chosen_isa())) {
    module.attr(function.name) = make_function(function, module);
  }
}

}  // namespace lissom::bindings
