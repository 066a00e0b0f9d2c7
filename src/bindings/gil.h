// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

#include "core/parallel/thread_pool.h"

namespace lissom::bindings {

// Where the interpreter finalises, CPython up to 3.13 ends a daemon thread that asks for the GIL by unwinding its
// stack, which must not cross a destructor (pybind11 issue 2215: std::terminate). Such a thread stays here instead,
// until the process ends, as CPython 3.14 has it.
template <class TakeGil>
void take_gil(const TakeGil& take) {
  try {
    take();
  } catch (...) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Holds the GIL for its lifetime, in a thread of Python's that has released it, as pybind11::gil_scoped_acquire.
class GilAcquire {
 public:
  GilAcquire() {
    take_gil([this] { state_ = PyGILState_Ensure(); });
  }
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_{};
};

// Thrown where a handler of a signal raised; its exception is set in this thread (module.cpp has it raised).
struct Interrupted {};

// Lets Python handle signals, of which Ctrl-C is one, in the midst of a call that has released the GIL.
inline void handle_signals() {
  const GilAcquire gil;
  if (PyErr_CheckSignals() != 0) throw Interrupted();
}

// Releases the GIL for its lifetime, as pybind11::gil_scoped_release. Long loops of the core then handle signals.
class GilRelease {
 public:
  GilRelease() : hook_(set_slice_hook(handle_signals)), state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    set_slice_hook(hook_);
    take_gil([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  SliceHook hook_;
  PyThreadState* state_;
};

}  // namespace lissom::bindings
