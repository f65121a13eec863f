// Interface of a runtime outside halftone, on which plans are built, timed and run: that of the
// user's application (docs/guide/measuring_elsewhere.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "search/measure/step_times.h"
#include "search/trial/trial.h"
#include "src/accuracy/dataset.h"
#include "src/ir/tensor.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/anchor.h"

namespace halftone {

// A plan as a runtime has built it.
class BuiltPlan {
 public:
  virtual ~BuiltPlan() = default;

  // Facts that are known so far: all of them after the plan was timed.
  [[nodiscard]] virtual const RuntimeRun& facts() const = 0;
};

struct RuntimeTiming {
  double budget_s = 2.0;  // seconds of timed runs, candidate and anchor together
  int min_rounds = 10;    // of candidate and anchor in turns; six give an interval of 95 %
  // Copies of both, with buffers at other addresses, among which the time is shared
  // (search/measure/placements.h); a runtime that cannot afford so many has fewer.
  int placements = 1;
  std::uint64_t seed = 1;
  // Timing may end once the latency ratio lies above this with 95 % confidence (Latency::raced).
  double give_up_above = std::numeric_limits<double>::infinity();
};

enum class RuntimeOutputs : std::uint8_t {
  kTaken,  // every sample, or as many as were asked for
  kNone,   // the runtime hands out no outputs: accuracy is that of halftone's kernels
};

// Gets the outputs of a sample, in the order of the network; false: no more are wanted.
using TakeOutputs = std::function<bool(std::size_t sample, std::vector<Tensor> outputs)>;

// A Rejection says in the runtime's own words why a plan cannot be built or run there; it is stored
// and the plan is not tried again. Error kIo, kUnsupported: trouble of the machine, which says
// nothing about a plan. Not thread safe.
class Runtime {
 public:
  virtual ~Runtime() = default;

  // Everything that latencies depend on beside the plan: "ONNX Runtime 1.30.0, CPU, 2 threads".
  // Stored measurements are found by it.
  [[nodiscard]] virtual const std::string& description() const = 0;

  // Name of the anchor (src/precision/resolve/anchor.h) that plans are timed in turns with.
  [[nodiscard]] virtual std::string anchor() const { return kFloat32Anchor; }

  // Plans that were built before are not built again.
  virtual std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) = 0;

  // Times the plan in turns with the anchor.
  virtual std::variant<Latency, Rejection> Time(BuiltPlan& candidate,
                                                const RuntimeTiming& timing) = 0;

  // Seconds by node of the network, for those that the runtime times alone; empty: it does not say.
  virtual std::optional<StepTimes> SecondsByNode(BuiltPlan& /*plan*/) { return std::nullopt; }

  // Gives `take` the outputs of each sample, in order.
  virtual std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                                      const TakeOutputs& take) = 0;
};

}  // namespace halftone
