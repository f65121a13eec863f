// Progress of a tuning run as calls of Python, and its early end.
#pragma once

#include <pybind11/pybind11.h>

#include "src/api/tune_options.h"

namespace halftone {

// Callbacks of one run on the thread that calls Tune() without the lock of the interpreter.
//
// `on_event` gets dictionaries: "phase" ("operators", "calibration", "probes", "search", "confirm",
// "plan", "promise") and what is known of it: "done", "planned", "measured", "front" (points so
// far), "speed_up" and "sqnr_db" of the fastest, "text". Events of one phase come ten times a
// second at most. Where it returns False, the run ends as after a stop. What it raises ends the
// run.
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

  [[nodiscard]] TuneCallbacks Callbacks();

  // True if a signal came, or `on_event` returned False.
  [[nodiscard]] bool stopped() const { return stopped_; }

  // The exception of the signal's handler; None: there was none. With the lock held.
  [[nodiscard]] pybind11::object signal() const { return signal_; }

 private:
  struct Throttle {
    double last_s = -1;
    std::string_view phase;
  };

  bool IsTime(std::string_view phase);
  void Send(const pybind11::dict& event);
  bool StopRequested();

  pybind11::object on_event_;
  pybind11::object signal_;
  Throttle throttle_;
  bool stopped_ = false;
};

}  // namespace halftone
