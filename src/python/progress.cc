#include "src/python/progress.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/python/gil.h"

namespace py = pybind11;

namespace halftone {
namespace {

constexpr double kPeriod_s = 0.1;

double Now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

py::dict EventOf(const TunerProgress& now) {
  py::dict event;
  event["phase"] = now.phase == TunerProgress::Phase::kSearch ? "search" : "confirm";
  event["done"] = now.done;
  event["measured"] = now.measured;
  if (now.planned != kNoLimitOfPlans) {
    event["planned"] = now.planned;
  }
  const auto front = ParetoFront(now.trials);
  event["front"] = front.size();
  if (!front.empty()) {
    const Measurement& fastest = *now.trials[front.front()].measurement();
    event["speed_up"] = fastest.latency.speed_up();
    if (const MetricValue* sqnr = fastest.accuracy.Find("sqnr_db")) {
      event["sqnr_db"] = sqnr->mean;
    }
  }
  return event;
}

py::dict EventOf(const OperatorTunerProgress& now) {
  py::dict event;
  event["phase"] = "operators";
  event["done"] = now.decided;
  event["planned"] = now.operators;
  if (!now.profiled.empty()) {
    event["text"] = "machine profile: " + now.profiled;
  }
  return event;
}

py::dict EventOf(const ProbeProgress& now) {
  py::dict event;
  event["phase"] = now.stage == "calibration" ? "calibration" : "probes";
  event["done"] = now.done;
  event["planned"] = now.planned;
  return event;
}

py::dict EventOf(const char* phase, const std::string& text) {
  py::dict event;
  event["phase"] = phase;
  event["text"] = text;
  return event;
}

}  // namespace

RunProgress::RunProgress(py::object on_event)
    : on_event_(std::move(on_event)), signal_(py::none()) {}

RunProgress::~RunProgress() = default;

bool RunProgress::IsTime(std::string_view phase) {
  const double now_s = Now_s();
  if (phase == throttle_.phase && now_s - throttle_.last_s < kPeriod_s) {
    return false;
  }
  throttle_ = {now_s, phase};
  return true;
}

void RunProgress::Send(const py::dict& event) {
  try {
    if (Call(on_event_, py::make_tuple(event)).is(py::bool_(false))) {
      stopped_ = true;
    }
  } catch (py::error_already_set& raised) {
    if (!raised.matches(PyExc_KeyboardInterrupt)) {
      throw;
    }
    PyErr_SetInterrupt();  // Ctrl-C within the callable is Ctrl-C of the run: StopRequested() sees
                           // it
  }
}

// Handlers of signals run here where this is Python's main thread; elsewhere nothing is pending.
bool RunProgress::StopRequested() {
  return WithGil([this] {
    if (PyErr_CheckSignals() != 0) {
      if (!signal_.is_none()) {
        throw py::error_already_set();
      }
      stopped_ = true;
      py::error_already_set raised;
      signal_ = raised.value();
    }
    return stopped_;
  });
}

TuneCallbacks RunProgress::Callbacks() {
  TuneCallbacks callbacks;
  callbacks.stop_requested = [this] { return StopRequested(); };
  if (on_event_.is_none()) {
    return callbacks;
  }
  callbacks.on_progress = [this](const TunerProgress& now) {
    if (IsTime(now.phase == TunerProgress::Phase::kSearch ? "search" : "confirm")) {
      WithGil([&] { Send(EventOf(now)); });
    }
  };
  callbacks.on_operators = [this](const OperatorTunerProgress& now) {
    if (IsTime("operators")) {
      WithGil([&] { Send(EventOf(now)); });
    }
  };
  callbacks.on_probes = [this](const ProbeProgress& now) {
    if (IsTime(now.stage)) {
      WithGil([&] { Send(EventOf(now)); });
    }
  };
  callbacks.on_work_plan = [this](const std::string& text) {
    WithGil([&] { Send(EventOf("plan", text)); });
  };
  callbacks.on_warning = [this](const std::string& text) {
    WithGil([&] { Send(EventOf("warning", text)); });
  };
  callbacks.on_promises = [this](const std::string& text) {
    WithGil([&] { Send(EventOf("promise", text)); });
  };
  return callbacks;
}

}  // namespace halftone
