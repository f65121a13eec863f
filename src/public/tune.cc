#include "halftone/tune.h"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/api/halftone.h"
#include "src/api/shape_profiles.h"
#include "src/public/figures.h"

namespace halftone {
namespace {

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Passes events on, those of one phase at most once a period.
class Events {
 public:
  explicit Events(const TuneHooks& hooks) : hooks_(hooks) {}

  void Send(const TuneEvent& event) const { hooks_.on_event(event); }

  // True if an event of the phase may be sent now.
  bool IsTime(std::string_view phase) {
    const double now_s = SecondsNow();
    if (phase == phase_ && now_s - last_s_ < hooks_.period_s) {
      return false;
    }
    phase_ = phase;
    last_s_ = now_s;
    return true;
  }

 private:
  TuneHooks hooks_;
  std::string phase_;
  double last_s_ = -1;
};

const char* PhaseOf(const TunerProgress& now) {
  return now.phase == TunerProgress::Phase::kSearch ? "search" : "confirm";
}

TuneEvent EventOf(const TunerProgress& now) {
  TuneEvent event;
  event.phase = PhaseOf(now);
  event.done = now.done;
  event.measured = now.measured;
  if (now.planned != kNoLimitOfPlans) {
    event.planned = now.planned;
  }
  const std::vector<std::size_t> front = ParetoFront(now.trials);
  event.front = front.size();
  if (!front.empty()) {
    const Measurement& fastest = *now.trials[front.front()].measurement();
    event.speed_up = fastest.latency.speed_up();
    if (const MetricValue* sqnr = fastest.accuracy.Find("sqnr_db")) {
      event.sqnr_db = sqnr->mean;
    }
  }
  return event;
}

TuneEvent EventOf(const OperatorTunerProgress& now) {
  TuneEvent event;
  event.phase = "operators";
  event.done = now.decided;
  event.planned = now.operators;
  if (!now.profiled.empty()) {
    event.text = "machine profile: " + now.profiled;
  }
  return event;
}

TuneEvent EventOf(const ProbeProgress& now) {
  TuneEvent event;
  event.phase = now.stage == "calibration" ? "calibration" : "probes";
  event.done = now.done;
  event.planned = now.planned;
  return event;
}

TuneCallbacks CallbacksOf(const TuneHooks& hooks) {
  TuneCallbacks callbacks;
  callbacks.stop_requested = hooks.stop_requested;
  if (!hooks.on_event) {
    return callbacks;
  }
  const auto events = std::make_shared<Events>(hooks);
  callbacks.on_progress = [events](const TunerProgress& now) {
    if (events->IsTime(PhaseOf(now))) {
      events->Send(EventOf(now));
    }
  };
  callbacks.on_operators = [events](const OperatorTunerProgress& now) {
    if (events->IsTime("operators")) {
      events->Send(EventOf(now));
    }
  };
  callbacks.on_probes = [events](const ProbeProgress& now) {
    if (const TuneEvent event = EventOf(now); events->IsTime(event.phase)) {
      events->Send(event);
    }
  };
  const auto text_of = [events](const char* phase) {
    return
        [events, phase](const std::string& text) { events->Send({.phase = phase, .text = text}); };
  };
  callbacks.on_work_plan = text_of("plan");
  callbacks.on_warning = text_of("warning");
  callbacks.on_promises = text_of("promise");
  return callbacks;
}

TunedPoint PointOf(const FrontPoint& point, const Vocabulary& words) {
  const Latency& latency = point.measurement().latency;
  const Interval interval = latency.speed_up_interval();
  TunedPoint tuned;
  tuned.configuration = Summary(point.trial.candidate, words);
  tuned.folder = point.folder;
  for (const Argument& argument : point.arguments) {
    tuned.arguments.push_back(argument.option + "=" + argument.value);
  }
  tuned.speed_up = latency.speed_up();
  tuned.speed_up_interval = {.low = interval.low, .high = interval.high};
  tuned.accuracy = FiguresOf(point.measurement().accuracy);
  if (point.heldout) {
    tuned.heldout = FiguresOf(*point.heldout);
  }
  tuned.low_precision_nodes = point.trial.low_precision_nodes.size();
  return tuned;
}

}  // namespace

TuneResult Tune(const ModelOptions& model, const TuneOptions& options, const TuneHooks& hooks,
                std::vector<std::string> input_shapes) {
  if (input_shapes.empty()) {
    input_shapes = model.input_shape.empty() ? ShapesOfSamples(model, options.data)
                                             : std::vector<std::string>{model.input_shape};
  }
  const std::vector<Model> models = LoadSampleProfiles(model, input_shapes, options.data);
  const TuneSummary summary = Tune(models, options, CallbacksOf(hooks));
  TuneResult result;
  for (const Model& at : models) {
    result.notes.insert(result.notes.end(), at.notes.begin(), at.notes.end());
  }
  for (const FrontPoint& point : summary.front.points) {
    result.points.push_back(PointOf(point, *summary.run.words));
  }
  result.chosen = summary.front.chosen;
  result.outcome = NameOf(summary.outcome.end);
  result.verdict = summary.outcome.verdict.sentence;
  result.text = FormatConsole(summary);
  result.warnings = summary.warnings;
  return result;
}

}  // namespace halftone
