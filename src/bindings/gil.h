// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

#include "core/parallel/thread_pool.h"

namespace lissom::bindings {

// Where a thread stays once the interpreter finalises. CPython up to 3.13 ends a daemon thread that asks for the GIL
// then by unwinding its stack, which must cross neither a destructor nor a catch (pybind11 issue 2215:
// std::terminate). Such a thread waits instead until the process ends, as CPython 3.14 has it.
[[noreturn]] inline void wait_for_exit() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// The state of a thread of Python's while it has released the GIL. Taking the GIL back by it is safe whenever the
// process exits, since CPython asks whether it finalises before it touches a state; PyGILState_Ensure, which looks for
// a state first, crashes after the interpreter is gone.
inline thread_local PyThreadState* released_state = nullptr;

inline void take_gil(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    wait_for_exit();
  }
}

// Holds the GIL for its lifetime, in a thread of Python's that has released it by GilRelease.
class GilAcquire {
 public:
  GilAcquire() { take_gil(released_state); }
  ~GilAcquire() { released_state = PyEval_SaveThread(); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
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
  GilRelease() : hook_(set_slice_hook(handle_signals)) { released_state = PyEval_SaveThread(); }
  ~GilRelease() {
    set_slice_hook(hook_);
    take_gil(released_state);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  SliceHook hook_;
};

}  // namespace lissom::bindings
