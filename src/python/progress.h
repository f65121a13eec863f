// Progress of a run, reported to a callable of Python, and its early end.
#pragma once

#include <pybind11/pybind11.h>

#include "halftone/error.h"
#include "halftone/tune.h"
#include "src/python/gil.h"

namespace halftone {

// Hooks of one run, which are called on the thread of the run, without the lock of the interpreter.
//
// `on_event` is called with a dictionary of the members of TuneEvent that are known. A result of
// False stops the run, which then reports what it found. An exception other than KeyboardInterrupt
// ends the run at once.
//
// A signal whose handler raises an exception, such as Ctrl-C, stops the run too, and signal() is
// then that exception. A second such signal ends the run at once.
class RunProgress {
 public:
  // `on_event`: a callable, or None.
  explicit RunProgress(pybind11::object on_event);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  [[nodiscard]] TuneHooks Hooks();

  // Runs `body` without the lock of the interpreter. If `body` throws StoppedByUser because of a
  // signal, throws signal() in its place.
  template <typename Body>
  void Watch(const Body& body) {
    const GilReleased unlocked;
    try {
      body();
    } catch (const StoppedByUser&) {  // thrown while a program of the user runs
      WithGil([&] {
        if (signal_.is_none()) {
          throw;
        }
        PyErr_SetObject(pybind11::type::of(signal_).ptr(), signal_.ptr());
        throw pybind11::error_already_set();
      });
    }
  }

  // True if a signal came, or `on_event` returned False.
  [[nodiscard]] bool stopped() const { return stopped_; }

  // Exception of the signal's handler; None: there was no signal. Requires the lock of the
  // interpreter.
  [[nodiscard]] pybind11::object signal() const { return signal_; }

 private:
  void Send(const pybind11::dict& event);
  bool StopRequested();

  pybind11::object on_event_;
  pybind11::object signal_;
  bool stopped_ = false;
};

}  // namespace halftone
