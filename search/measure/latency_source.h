// Source of latencies: the clock of this machine, the roofline of another machine, or a runtime
// outside halftone. A measurer, a prober and a report each have exactly one source.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/parallel.h"
#include "search/measure/measurer.h"
#include "search/measure/network_setup.h"
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

// A network with its compiled anchor, which the clock times in turns with each plan.
struct TimedNetwork {
  NetworkSetup setup;
  const Executable& anchor;
  double anchor_compile_s = 0;  // seconds that the compilation of the anchor took
  double quick_budget_s = 0;    // seconds of timed runs of Race(), for plan and anchor together
  // Most seconds of the rounds of Race() on a clock; the fewest rounds may take longer.
  double quick_most_s = std::numeric_limits<double>::infinity();
  double confirm_budget_s = 0;  // seconds of timed runs of Confirm(), likewise
  std::uint64_t seed = 1;       // seed of the order of rounds
};

// A plan that is compiled for halftone's kernels when its executable is first asked for.
class CompiledPlan {
 public:
  // `graph`, `plan` and `options` must outlive it.
  CompiledPlan(const Graph& graph, const PrecisionPlan& plan, const CompileOptions& options)
      : graph_(graph), plan_(plan), options_(options) {}

  [[nodiscard]] const PrecisionPlan& plan() const { return plan_; }

  // The compiled plan. Errors: those of Compile().
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

// Interface of a source of latencies. It is not thread safe. A source returns a Rejection for a
// plan that it cannot run. Errors kIo and kUnsupported: the machine fails, which says nothing about
// the plan.
class LatencySource {
 public:
  virtual ~LatencySource() = default;

  // False: latencies are predicted without running plans.
  [[nodiscard]] virtual bool is_timed() const { return true; }

  // True: plans run on this source, and Run() may give their outputs. False: halftone's kernels run
  // the plans.
  [[nodiscard]] virtual bool runs_plans() const { return false; }

  // Everything that latencies depend on besides the plan and this CPU, such as "ONNX Runtime
  // 1.30.0, CPU, 2 threads"; empty: nothing. It is part of the key of stored measurements.
  [[nodiscard]] virtual std::string description() const { return {}; }

  // The plan with which other plans are compared.
  [[nodiscard]] virtual Anchor AnchorFor(const Graph& graph) const {
    return {.plan = ReferencePlan(graph)};
  }

  // Builds the anchor on the source, and returns the seconds that this took.
  virtual double BuildAnchor(const Graph& /*graph*/) { return 0; }

  // Times a plan and its anchor in turns, within the quick budget. May end once the ratio lies
  // above `give_up_above` with 95 % confidence (Latency::raced). A plan that runs the anchor's
  // kernels in its dtypes is timed alone, and its ratio is 1 (Latency::is_of_anchor()).
  virtual std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                                double give_up_above) = 0;

  // Times a plan and its anchor by the full protocol (search/measure/placements.h). The clock of
  // this machine stops when `stop_requested`, called after each run of the warm-up and each round,
  // returns true; the latency has no samples if that is before the end of the first round. A
  // runtime outside halftone does not stop. Error kUnsupported: a plan that was measured cannot be
  // timed again.
  virtual Latency Confirm(const TimedNetwork& network, const PrecisionPlan& plan,
                          const std::function<bool()>& stop_requested) = 0;

  // Does what Measurer::ConfirmWithin() says.
  virtual std::optional<Latency> ConfirmWithin(const TimedNetwork& network,
                                               const PrecisionPlan& plan, const Latency& first,
                                               const ConfirmTime& time) = 0;

  // Times of the operators of plans, as halftone::TimeSteps() gives them. Empty if `stop_requested`
  // returned true, or if the source does not time single operators.
  virtual std::vector<StepTimes> TimeSteps(const NetworkSetup& network,
                                           std::span<const PrecisionPlan> plans,
                                           const StepTimesOptions& options,
                                           const std::function<bool()>& stop_requested) = 0;

  // Passes the outputs of the plan on each sample to `take`, in order. kNone: the source hands out
  // no outputs, so accuracy is measured on halftone's kernels.
  virtual std::variant<RuntimeOutputs, Rejection> Run(const PrecisionPlan& /*plan*/,
                                                      const Dataset& /*data*/,
                                                      const TakeOutputs& /*take*/) {
    return RuntimeOutputs::kNone;
  }

  // Facts known so far of how the source ran a plan; they are complete after the plan was timed.
  // Empty: halftone's kernels ran the plan.
  virtual std::optional<RuntimeRun> FactsOf(const PrecisionPlan& /*plan*/) { return std::nullopt; }

  // Times the operators of the plan on the source, then returns its facts, as FactsOf() does.
  virtual std::variant<RuntimeRun, Rejection> TryOut(const PrecisionPlan& /*plan*/) {
    return RuntimeRun{};
  }
};

// The clock of this machine, for plans on halftone's kernels.
std::shared_ptr<LatencySource> HostClock();

// Predictions by the figures of its data sheet, for a device that is not here.
std::shared_ptr<LatencySource> RooflineOf(const TargetSpec& target);

// A source that times plans on `runtime`, which must not be null.
std::shared_ptr<LatencySource> TimedBy(std::shared_ptr<Runtime> runtime);

// The source for a target without a runtime: HostClock() for the host, RooflineOf() for others.
std::shared_ptr<LatencySource> SourceFor(const TargetSpec& target);

}  // namespace halftone
