// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <utility>

namespace lissom::bindings {

// Hands what a job tells of itself to Python, and Ctrl-C and what the callback raises back to the job. The
// job runs without the GIL and asks from the thread that called it.
class PythonProgress {
 public:
  explicit PythonProgress(pybind11::object callback) : callback_(std::move(callback)) {}

  bool operator()(const char* stage, double fraction) {
    // As often as a person notices; taking the GIL more often would slow down other threads of Python.
    const auto time = std::chrono::steady_clock::now();
    if (stage == stage_ && time - last_ < std::chrono::milliseconds(50)) return false;
    stage_ = stage;
    last_ = time;
    const pybind11::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      if (!callback_.is_none()) callback_(stage, fraction);
    } catch (...) {
      failure_ = std::current_exception();
      return true;
    }
    return false;
  }

  // After the job, with the GIL.
  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  pybind11::object callback_;
  const char* stage_ = nullptr;
  std::chrono::steady_clock::time_point last_;
  std::exception_ptr failure_;
};

}  // namespace lissom::bindings
