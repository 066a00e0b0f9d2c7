// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <utility>

#include "bindings/gil.h"
#include "core/error.h"
#include "core/progress.h"

namespace lissom::bindings {

// The Progress of a long job that calls Python: Ctrl-C and a callable `progress(stage, fraction)` (or None) stop it by
// raising. Calls Python at most twenty times a second, so jobs may call it as often as they like.
class JobProgress {
 public:
  explicit JobProgress(pybind11::object callable) : callable_(std::move(callable)) {}
  JobProgress(const JobProgress&) = delete;
  JobProgress& operator=(const JobProgress&) = delete;

  Progress function() {
    return [this](const char* stage, double fraction) { return ask(stage, fraction); };
  }
  // Calls work(function()), the GIL released, and raises the exception that stopped it, if any; else returns its error.
  template <class Work>
  Error call(const Work& work) {
    Error error;
    {
      const GilRelease nogil;
      error = work(function());
    }
    if (raised_) std::rethrow_exception(raised_);
    return error;
  }
  // The same for a job that holds the function already.
  template <class Job>
  Error run(const Job& job) {
    return call([&](const Progress&) { return job.run(); });
  }

 private:
  bool ask(const char* stage, double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (stage == stage_ && now - last_ < std::chrono::milliseconds(50)) return false;
    stage_ = stage;
    last_ = now;
    const GilAcquire gil;
    if (PyErr_CheckSignals() == 0 && (callable_.is_none() || tell(stage, fraction))) return false;
    raised_ = std::make_exception_ptr(pybind11::error_already_set());
    return true;
  }

  // Calls the callable; false where it raised. The interpreter may end this thread amid Python's code: between that and
  // the catch there is no C++ object to destroy.
  bool tell(const char* stage, double fraction) const {
    PyObject* answer = nullptr;
    try {
      answer = PyObject_CallFunction(callable_.ptr(), "sd", stage, fraction);
    } catch (...) {
      wait_for_exit();
    }
    Py_XDECREF(answer);
    return answer != nullptr;
  }

  pybind11::object callable_;
  std::exception_ptr raised_;
  const char* stage_ = nullptr;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace lissom::bindings
