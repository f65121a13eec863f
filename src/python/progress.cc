#include "src/python/progress.h"

#include <optional>
#include <utility>

#include "src/python/gil.h"

namespace py = pybind11;

namespace halftone {
namespace {

template <typename T>
void AddIfKnown(py::dict& event, const char* key, const std::optional<T>& value) {
  if (value) {
    event[key] = *value;
  }
}

py::dict DictOf(const TuneEvent& now) {
  py::dict event;
  event["phase"] = now.phase;
  if (!now.text.empty()) {
    event["text"] = now.text;
  }
  AddIfKnown(event, "done", now.done);
  AddIfKnown(event, "planned", now.planned);
  AddIfKnown(event, "measured", now.measured);
  AddIfKnown(event, "front", now.front);
  AddIfKnown(event, "speed_up", now.speed_up);
  AddIfKnown(event, "sqnr_db", now.sqnr_db);
  return event;
}

}  // namespace

RunProgress::RunProgress(py::object on_event)
    : on_event_(std::move(on_event)), signal_(py::none()) {}

RunProgress::~RunProgress() = default;

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

TuneHooks RunProgress::Hooks() {
  TuneHooks hooks;
  hooks.stop_requested = [this] { return StopRequested(); };
  if (!on_event_.is_none()) {
    hooks.on_event = [this](const TuneEvent& event) { WithGil([&] { Send(DictOf(event)); }); };
  }
  return hooks;
}

}  // namespace halftone
