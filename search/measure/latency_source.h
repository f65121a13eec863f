// Source of latencies: the clock of this machine, the roofline of another one, or a runtime outside
// halftone. A measurer, a prober and a report each have exactly one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/parallel.h"
#include "search/measure/measurer.h"
#include "search/measure/runtime.h"
#include "search/measure/step_times.h"
#include "search/trial/trial.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/anchor.h"
#include "src/target/target_spec.h"

namespace halftone {

// Least number of rounds of LatencySource::Race(): the fewest that give an interval of 95 %.
inline constexpr int kQuickRounds = 6;

// Network, samples, threads and compile options that runs of plans have. Members refer to objects
// that outlive its use.
struct NetworkSetup {
  const Graph& graph;
  const Dataset& dataset;  // timed runs take its first sample
  const ThreadPool& pool;
  const CompileOptions& compile;
};

// A network with the compiled anchor that the clock times in turns with each plan.
struct TimedNetwork {
  NetworkSetup setup;
  const Executable& anchor;
  double anchor_compile_s = 0;  // seconds in which it was compiled
  double quick_budget_s = 0;    // timed runs of Race(): plan and anchor together
  double confirm_budget_s = 0;  // timed runs of Confirm()
  std::uint64_t seed = 1;       // of the order of rounds
};

// A plan, compiled for halftone's kernels when its executable is first asked for.
class CompiledPlan {
 public:
  // All three must outlive it.
  CompiledPlan(const Graph& graph, const PrecisionPlan& plan, const CompileOptions& options)
      : graph_(graph), plan_(plan), options_(options) {}

  [[nodiscard]] const PrecisionPlan& plan() const { return plan_; }

  // Errors as Compile().
  const Executable& executable() {
    if (!executable_) {
      executable_.emplace(Compile(graph_, plan_, options_));
    }
    return *executable_;
  }

 private:
  const Graph& graph_;
  const PrecisionPlan& plan_;
  const CompileOptions& options_;
  std::optional<Executable> executable_;
};

// Not thread safe. A source returns a Rejection for a plan that it cannot run. Errors kIo and
// kUnsupported: trouble of the machine.
class LatencySource {
 public:
  virtual ~LatencySource() = default;

  // False: latencies are predicted, and no plan runs for them.
  [[nodiscard]] virtual bool is_timed() const { return true; }

  // True: plans run on it, and Run() may give their outputs. False: halftone's kernels run them.
  [[nodiscard]] virtual bool runs_plans() const { return false; }

  // Everything besides the plan and this CPU that latencies depend on: "ONNX Runtime 1.30.0, CPU, 2
  // threads". Part of the key of stored measurements. Empty: nothing.
  [[nodiscard]] virtual std::string description() const { return {}; }

  // Plan that other plans are compared with.
  [[nodiscard]] virtual Anchor AnchorFor(const Graph& graph) const {
    return {.plan = ReferencePlan(graph)};
  }

  // Builds the anchor on the source; returns the seconds that it took.
  virtual double BuildAnchor(const Graph& /*graph*/) { return 0; }

  // Latency of a plan and its anchor in turns, within the quick budget. Ends once the ratio lies
  // above `give_up_above` with 95 % confidence (Latency::raced).
  virtual std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                                double give_up_above) = 0;

  // Latency of a plan and its anchor by the full protocol (search/measure/placements.h). Ends when
  // `stop_requested`, called after each run and round, returns true; the latency has no samples if
  // that is before the first round. A runtime outside halftone times to its end. Error
  // kUnsupported: a plan that was measured cannot be timed again.
  virtual Latency Confirm(const TimedNetwork& network, const PrecisionPlan& plan,
                          const std::function<bool()>& stop_requested) = 0;

  // Measurer::ConfirmWithin().
  virtual std::optional<Latency> ConfirmWithin(const TimedNetwork& network,
                                               const PrecisionPlan& plan, const Latency& first,
                                               const ConfirmTime& time) = 0;

  // Times of the operators of plans, as halftone::TimeSteps(). Empty: it was stopped, or the source
  // does not say how long operators take.
  virtual std::vector<StepTimes> TimeSteps(const NetworkSetup& network,
                                           std::span<const PrecisionPlan> plans,
                                           const StepTimesOptions& options,
                                           const std::function<bool()>& stop_requested) = 0;

  // Gives `take` the outputs of the plan on each sample, in order; kNone: the source hands out
  // none, so that accuracy is that of halftone's kernels.
  virtual std::variant<RuntimeOutputs, Rejection> Run(const PrecisionPlan& /*plan*/,
                                                      const Dataset& /*data*/,
                                                      const TakeOutputs& /*take*/) {
    return RuntimeOutputs::kNone;
  }

  // Facts known so far of how the source ran a plan; complete after the plan was timed. Empty:
  // halftone's kernels ran it.
  virtual std::optional<RuntimeRun> FactsOf(const PrecisionPlan& /*plan*/) { return std::nullopt; }

  // Times the operators of the plan on the source, then returns the facts of FactsOf().
  virtual std::variant<RuntimeRun, Rejection> TryOut(const PrecisionPlan& /*plan*/) {
    return RuntimeRun{};
  }
};

// The clock of this machine, for plans on halftone's kernels.
std::shared_ptr<LatencySource> HostClock();

// Predictions for a device that is not here, by the figures of its data sheet.
std::shared_ptr<LatencySource> RooflineOf(const TargetSpec& target);

// A source that times plans on `runtime`, which must not be null.
std::shared_ptr<LatencySource> TimedBy(std::shared_ptr<Runtime> runtime);

// The source for plans of a target without a runtime.
std::shared_ptr<LatencySource> SourceFor(const TargetSpec& target);

}  // namespace halftone
