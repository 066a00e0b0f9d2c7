// SPDX-License-Identifier: MIT
// The plain functions of the solvers of inverse kinematics, for one chain. See plain_arrays.h.
#include "bindings/plain_arrays.h"
// Must come after Python.h, which the one above includes.
#include <pybind11/typing.h>
#include <structmember.h>

#include <array>
#include <cstdint>
#include <utility>

#include "bindings/module.h"
#include "core/ik/aim.h"
#include "core/ik/ccd.h"
#include "core/ik/fabrik.h"
#include "core/ik/ik_job.h"
#include "core/ik/least_squares.h"
#include "core/ik/two_bone.h"

namespace lissom::bindings {
namespace py = pybind11;

namespace {

// The class of the results, and where its objects hold their fields: pose, residual, iterations, reached, limited, angle
// and stops. Its own initialiser takes longer than a solve.
struct ResultClass {
  static constexpr std::size_t kFields = 7;
  PyTypeObject* type = nullptr;
  std::array<Py_ssize_t, kFields> places{};
};
ResultClass result_class;

void use_ik_result(const py::type& type, const py::typing::Tuple<py::object, py::ellipsis>& slots) {
  ResultClass made;
  if (slots.size() != ResultClass::kFields) throw py::type_error("slots must be those of the seven fields");
  for (std::size_t i = 0; i < ResultClass::kFields; ++i) {
    const py::object slot = slots[i];
    if (Py_TYPE(slot.ptr()) != &PyMemberDescr_Type) throw py::type_error("a field must be a slot");
    auto* const member = reinterpret_cast<PyMemberDescrObject*>(slot.ptr());
    if (reinterpret_cast<PyObject*>(member->d_common.d_type) != type.ptr()) {
      throw py::type_error("a slot must be of the class");
    }
    made.places[i] = member->d_member->offset;
  }
  result_class.places = made.places;
  Py_XDECREF(result_class.type);
  Py_INCREF(type.ptr());  // for the life of the process
  result_class.type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

PyObject* new_result(std::array<py::object, ResultClass::kFields> fields) {
  for (const py::object& field : fields) {
    if (!field) return nullptr;
  }
  PyObject* const made = result_class.type->tp_alloc(result_class.type, 0);
  if (made == nullptr) return nullptr;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(made) + result_class.places[i]) =
        fields[i].release().ptr();
  }
  return made;
}

py::object stolen(PyObject* object) { return py::reinterpret_steal<py::object>(object); }

py::object float_scalar(float value) {
  PyObject* const made = PyArrayScalar_New(Float);
  if (made != nullptr) PyArrayScalar_ASSIGN(made, Float, value);
  return stolen(made);
}

py::object int_scalar(std::int32_t value) {
  static PyArray_Descr* const kind = PyArray_DescrFromType(NPY_INT32);
  return stolen(PyArray_Scalar(&value, kind, nullptr));
}

py::object byte_scalar(std::uint8_t value) {
  static PyArray_Descr* const kind = PyArray_DescrFromType(NPY_UINT8);
  return stolen(PyArray_Scalar(&value, kind, nullptr));
}

py::object bool_scalar(std::uint8_t value) { return stolen(Py_NewRef(PyArrayScalar_FromLong(value != 0))); }

bool take_double(PyObject* object, double* number) {
  if (!PyFloat_CheckExact(object)) return false;
  *number = PyFloat_AS_DOUBLE(object);
  return true;
}

template <class T>
std::span<T> numbers_of(const py::object& array) {
  auto* const made = reinterpret_cast<PyArrayObject*>(array.ptr());
  return {static_cast<T*>(PyArray_DATA(made)), static_cast<std::size_t>(PyArray_SIZE(made))};
}

// The arguments of every solver: (tree or None, poses, targets, orientations or None, weight, tolerance, max_iterations,
// start or None, continuous, out or None), then its own.
constexpr int kCommon = 10;

// `take_own(arrays, job)` takes the solver's own arguments; `nanoseconds` is a rough cost of one iteration.
template <class Job, class TakeOwn>
PyObject* solve(PyObject* const* args, double nanoseconds, const TakeOwn& take_own) {
  const auto* tree = held_by<IkTree>(args[0]);
  if (tree == nullptr || result_class.type == nullptr || tree->chain_count() != 1) return not_plain();
  const auto joints = static_cast<npy_intp>(tree->joint_count());
  PlainArrays<float> arrays;
  Job job;
  job.tree = tree;
  float weight;
  if (!arrays.take(args[1], {joints, 10}, &job.poses) || !arrays.take(args[2], {3}, &job.targets) ||
      (args[3] != Py_None && !arrays.take(args[3], {4}, &job.orientations)) ||
      !arrays.take_numbers(args[4], &weight, &job.weights) || !take_double(args[5], &job.tolerance) ||
      !PyLong_CheckExact(args[6]) ||
      (args[7] != Py_None && !arrays.take(args[7], {joints, 10}, &job.start)) || args[8] != Py_False ||
      !take_own(arrays, job)) {
    return not_plain();
  }
  int is_beyond = 0;
  const long iterations = PyLong_AsLongAndOverflow(args[6], &is_beyond);
  if (is_beyond != 0 || iterations < 0 || iterations > kMostIterations) return not_plain();
  job.max_iterations = static_cast<int>(iterations);
  py::object pose = arrays.result(args[9], {joints, 10}, &job.out);
  if (!pose) return not_plain();
  py::object limited = arrays.make({joints}, NPY_BOOL);
  if (!limited) return not_plain();
  job.limited = numbers_of<std::uint8_t>(limited);
  // Of one pose they become scalars.
  const bool is_single = arrays.is_single();
  float one_residual = 0, one_angle = 0;
  std::int32_t one_count = 0;
  std::uint8_t one_reached = 0, one_stop = 0;
  py::object residual, angle = py::none(), counts, reached, stops = py::none();
  constexpr bool kStops = requires { job.stops; };
  job.residuals = {&one_residual, 1};
  job.iterations = {&one_count, 1};
  job.reached = {&one_reached, 1};
  if (!job.orientations.empty()) job.angles = {&one_angle, 1};
  if constexpr (kStops) job.stops = {&one_stop, 1};
  if (!is_single) {
    residual = arrays.make({}, NPY_FLOAT);
    counts = arrays.make({}, NPY_INT32);
    reached = arrays.make({}, NPY_BOOL);
    if (!residual || !counts || !reached) return not_plain();
    job.residuals = numbers_of<float>(residual);
    job.iterations = numbers_of<std::int32_t>(counts);
    job.reached = numbers_of<std::uint8_t>(reached);
    if constexpr (kStops) {
      stops = arrays.make({}, NPY_UINT8);
      if (!stops) return not_plain();
      job.stops = numbers_of<std::uint8_t>(stops);
    }
    if (args[3] != Py_None) {
      angle = arrays.make({}, NPY_FLOAT);
      if (!angle) return not_plain();
      job.angles = numbers_of<float>(angle);
    }
  }
  nanoseconds *= static_cast<double>(arrays.count()) * static_cast<double>(1 + iterations);
  if (run_plain(nanoseconds, [&] { return job.run(); })) return not_plain();
  if (is_single) {
    residual = float_scalar(one_residual);
    counts = int_scalar(one_count);
    reached = bool_scalar(one_reached);
    if (args[3] != Py_None) angle = float_scalar(one_angle);
    if constexpr (kStops) stops = byte_scalar(one_stop);
  }
  return new_result({std::move(pose), std::move(residual), std::move(counts), std::move(reached),
                     std::move(limited), std::move(angle), std::move(stops)});
}

PyObject* ccd(PyObject* const* args) {
  return solve<CcdJob<float>>(args, 50, [](auto&, auto&) { return true; });
}

PyObject* fabrik(PyObject* const* args) {
  return solve<FabrikJob<float>>(args, 50, [](auto&, auto&) { return true; });
}

// (..., pole or None, twist or None, soften)
PyObject* two_bone(PyObject* const* args) {
  float twist;
  return solve<TwoBoneJob<float>>(args, 5, [&](auto& arrays, auto& job) {
    PyObject* const* const own = args + kCommon;
    return (own[0] == Py_None || arrays.take(own[0], {3}, &job.poles)) &&
           (own[1] == Py_None || arrays.take_numbers(own[1], &twist, &job.twists)) &&
           take_double(own[2], &job.soften);
  });
}

// (..., rest_attraction, damping, whether selective, angle_tolerance); every joint rotates freely
PyObject* damped_least_squares(PyObject* const* args) {
  return solve<LeastSquaresJob<float>>(args, 300, [&](auto&, auto& job) {
    PyObject* const* const own = args + kCommon;
    job.is_selective = own[2] == Py_True;
    return take_double(own[0], &job.rest_attraction) && take_double(own[1], &job.damping) &&
           take_double(own[3], &job.angle_tolerance);
  });
}

// A tuple of three floats.
bool take_vector(PyObject* object, std::array<double, 3>* vector) {
  if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != 3) return false;
  for (Py_ssize_t i = 0; i < 3; ++i) {
    if (!take_double(PyTuple_GET_ITEM(object, i), &(*vector)[static_cast<std::size_t>(i)])) return false;
  }
  return true;
}

constexpr float kUpwards[] = {0, 1, 0};

// (..., pole or None, axis, offset, up or None, behind): axis and up unit. Joints share the rotation equally.
PyObject* aim(PyObject* const* args) {
  return solve<AimJob<float>>(args, 100, [&](auto& arrays, auto& job) {
    PyObject* const* const own = args + kCommon;
    const bool has_up = own[3] != Py_None;
    if (own[0] != Py_None) {
      if (!has_up || !arrays.take(own[0], {3}, &job.poles)) return false;
    } else if (has_up) {
      job.poles = kUpwards;
    }
    return take_vector(own[1], &job.axis) && take_vector(own[2], &job.offset) &&
           (!has_up || take_vector(own[3], &job.up)) && take_double(own[4], &job.behind);
  });
}

}  // namespace

void bind_plain_ik(py::module_& module) {
  module.def("use_ik_result", &use_ik_result, py::arg("type"), py::arg("slots"),
             "Have plain solvers return objects of a class, given its slots for pose, residual, iterations, "
             "reached, limited, angle and stops.");
  define_plain<ccd, kCommon>(module, "plain_ccd", "plain_ccd(*args: typing.Any) -> typing.Any");
  define_plain<fabrik, kCommon>(module, "plain_fabrik", "plain_fabrik(*args: typing.Any) -> typing.Any");
  define_plain<two_bone, kCommon + 3>(module, "plain_two_bone",
                                      "plain_two_bone(*args: typing.Any) -> typing.Any");
  define_plain<damped_least_squares, kCommon + 4>(
      module, "plain_damped_least_squares", "plain_damped_least_squares(*args: typing.Any) -> typing.Any");
  define_plain<aim, kCommon + 5>(module, "plain_aim", "plain_aim(*args: typing.Any) -> typing.Any");
}

}  // namespace lissom::bindings
