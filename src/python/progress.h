// Progress of a run as calls of Python, and its early end.
#pragma once

#include <pybind11/pybind11.h>

#include "halftone/error.h"
#include "halftone/tune.h"
#include "src/python/gil.h"

namespace halftone {

// Hooks of one run, on the thread that calls it without the lock of the interpreter.
//
// `on_event` gets dictionaries: the members of TuneEvent that are known. Where it returns False,
// the run ends as after a stop. What it raises ends the run.
//
// A signal whose handler raises, as Ctrl-C does, ends the run cleanly: the run goes on to report
// what was found, and signal() is then the exception. Another such signal meanwhile ends it at
// once.
class RunProgress {
 public:
  // `on_event`: None for none.
  explicit RunProgress(pybind11::object on_event);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  [[nodiscard]] TuneHooks Hooks();

  // Runs `body` without the lock. A StoppedByUser that a signal caused leaves it as signal().
  template <typename Body>
  void Watch(const Body& body) {
    const GilReleased unlocked;
    try {
      body();
    } catch (const StoppedByUser&) {  // in a program of the user
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

  // The exception of the signal's handler; None: there was none. With the lock held.
  [[nodiscard]] pybind11::object signal() const { return signal_; }

 private:
  void Send(const pybind11::dict& event);
  bool StopRequested();

  pybind11::object on_event_;
  pybind11::object signal_;
  bool stopped_ = false;
};

}  // namespace halftone
