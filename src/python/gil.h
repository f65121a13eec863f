// The lock of Python's interpreter, let go and taken again by threads that may outlive it.
//
// An interpreter that ends stops each thread that asks for its lock with pthread_exit(), which
// unwinds the stack. No destructor lets that pass, and the process would abort: such a thread waits
// here for the end of the process, as those of Python 3.14 do.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

namespace halftone {

// Waits until the process ends.
[[noreturn]] void WaitForEndOfProcess();

// Lets the lock go for its lifetime.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}

  ~GilReleased() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      WaitForEndOfProcess();
    }
  }

  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

// Result of `body`, which calls Python, with the lock held; exceptions of `body` leave.
template <typename Body>
auto WithGil(const Body& body) {
  class Taken {
   public:
    Taken() : state_(PyGILState_Ensure()) {}

    ~Taken() { PyGILState_Release(state_); }

    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

   private:
    PyGILState_STATE state_;
  };

  try {
    const Taken taken;
    try {
      return body();
    } catch (abi::__forced_unwind&) {  // the lock is gone, which ~Taken() would give back
      WaitForEndOfProcess();
    }
  } catch (abi::__forced_unwind&) {
    WaitForEndOfProcess();
  }
}

}  // namespace halftone
