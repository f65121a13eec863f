// The lock of Python's interpreter, released and taken again by threads that may outlive it.
//
// An interpreter that ends stops each thread that asks for its lock with pthread_exit(), which
// unwinds the stack. No destructor lets that pass, and those of Python's objects would run without
// the lock. So such a thread waits here for the end of the process, as threads of Python 3.14 do;
// so does a thread that asks after the interpreter is gone. A process that ends while a thread runs
// without the lock leaves out the destructors of static objects, ours and those of libraries,
// because the thread may be using them.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

namespace halftone {

// Waits until the process ends.
[[noreturn]] void WaitForEndOfProcess();

// Makes the interpreter announce its end when it takes the module down.
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

// Result of callable(*arguments). A thread that the end of the interpreter stops within the
// callable waits here, before an object of its caller is destroyed. Throws
// pybind11::error_already_set.
pybind11::object Call(const pybind11::object& callable,
                      const pybind11::tuple& arguments = pybind11::tuple());

// Result of `body`, which calls Python by Call(), with the lock held. Lets exceptions through.
template <typename Body>
auto WithGil(const Body& body) {
  const GilTaken taken;
  try {
    return body();
  } catch (abi::__forced_unwind&) {  // the lock is gone, which ~GilTaken() would give back
    WaitForEndOfProcess();
  }
}

}  // namespace halftone
