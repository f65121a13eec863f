#include "src/python/gil.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace halftone {
namespace {

std::atomic<int> g_asking = 0;    // threads that ask for the lock
std::atomic<int> g_released = 0;  // threads that run our code without it
std::atomic<bool> g_taken_down = false;

// Result of `ask`, which asks for the lock.
template <typename Ask>
auto Asked(const Ask& ask) {
  ++g_asking;
  if (!g_taken_down) {
    try {
      const auto given = ask();
      --g_asking;
      return given;
    } catch (abi::__forced_unwind&) {  // whose handler must not be left
      --g_asking;
      WaitForEndOfProcess();
    }
  }
  --g_asking;
  WaitForEndOfProcess();
}

// Runs with the lock held, behind the point from which the interpreter stops every other thread
// that asks for it, and before it destroys what they ask. It looks at each of them within
// milliseconds; Python 3.14 lets them hang where they are.
void EndOfModule() {
  // The last to be registered is the first to run.
  ::on_exit(
      [](int status, void*) {
        if (g_released > 0) {
          std::fflush(nullptr);
          ::_exit(status);
        }
      },
      nullptr);
  g_taken_down = true;
  while (PY_VERSION_HEX < 0x030E0000 && g_asking > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

void WaitForEndOfProcess() {
  while (true) {
    ::pause();
  }
}

void TellOfEnd(pybind11::module_& module) {
  module.add_object("_end", pybind11::capsule(&EndOfModule));
}

GilReleased::GilReleased() : state_(PyEval_SaveThread()) {
  ++g_released;
}

GilReleased::~GilReleased() {
  state_ = Asked([this] {
    PyEval_RestoreThread(state_);
    return state_;
  });
  --g_released;
}

GilTaken::GilTaken() : state_(Asked([] { return PyGILState_Ensure(); })) {}

pybind11::object Call(const pybind11::object& callable, const pybind11::tuple& arguments) {
  PyObject* result = nullptr;
  try {
    result = PyObject_CallObject(callable.ptr(), arguments.ptr());
  } catch (abi::__forced_unwind&) {
    WaitForEndOfProcess();
  }
  if (result == nullptr) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

}  // namespace halftone
