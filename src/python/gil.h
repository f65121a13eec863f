// Lock of Python's interpreter (GIL), for threads that may outlive the interpreter.
//
// When the interpreter ends, it stops every thread that asks for the lock by pthread_exit(), which
// unwinds the stack. Unwinding must not happen here: it would end the process in a noexcept
// destructor, and destroy Python's objects without the lock. So a thread that is stopped, or that
// asks after the interpreter has ended, waits here for the end of the process, as threads of Python
// 3.14 do. If a thread still runs without the lock when the process ends, the destructors of static
// objects are skipped, because that thread may be using them.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

namespace halftone {

// Blocks the thread until the process ends.
[[noreturn]] void WaitForEndOfProcess();

// Registers a function that learns of the end of the interpreter when the module is destroyed.
void TellOfEnd(pybind11::module_& module);

// Releases the lock for its lifetime.
class GilReleased {
 public:
  GilReleased();
  ~GilReleased();

  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the lock for its lifetime.
class GilTaken {
 public:
  GilTaken();

  ~GilTaken() { PyGILState_Release(state_); }

  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  PyGILState_STATE state_;
};

// Calls callable(*arguments) and returns the result. If the end of the interpreter stops the thread
// within the callable, blocks until the process ends, so that no object of the caller is destroyed.
// Throws pybind11::error_already_set for an exception of Python.
pybind11::object Call(const pybind11::object& callable,
                      const pybind11::tuple& arguments = pybind11::tuple());

// Runs `body` with the lock held and returns its result. `body` must call Python by Call().
// Exceptions of `body` are passed on.
template <typename Body>
auto WithGil(const Body& body) {
  const GilTaken taken;
  try {
    return body();
  } catch (abi::__forced_unwind&) {  // ~GilTaken() must not release a lock that is gone
    WaitForEndOfProcess();
  }
}

}  // namespace halftone
