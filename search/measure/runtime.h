// Interface of a runtime outside halftone, such as that of the user's application, on which plans
// are built, timed and run (docs/guide/measuring_elsewhere.md).
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

  // Facts known so far; complete after the plan was timed.
  [[nodiscard]] virtual const RuntimeRun& facts() const = 0;
};

struct RuntimeTiming {
  double budget_s = 2.0;  // seconds of timed runs, candidate and anchor together
  int min_rounds = 10;    // candidate and anchor in turns; six give an interval of 95 %
  // Number of pairs of buffers, at other addresses, that share the time
  // (search/measure/placements.h); a runtime may use fewer.
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

// A Rejection says in the runtime's own words why it cannot build or run a plan; it is stored, and
// the plan is not tried again. Errors kIo and kUnsupported: trouble of the machine, which says
// nothing about the plan. Not thread safe.
class Runtime {
 public:
  virtual ~Runtime() = default;

  // Everything besides the plan that latencies depend on: "ONNX Runtime 1.30.0, CPU, 2 threads".
  // Part of the key of stored measurements.
  [[nodiscard]] virtual const std::string& description() const = 0;

  // Name of the anchor (src/precision/resolve/anchor.h) that plans are timed in turns with.
  [[nodiscard]] virtual std::string anchor() const { return kFloat32Anchor; }

  // Builds a plan; a plan that was built before is not built again.
  virtual std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) = 0;

  // Times the plan in turns with the anchor.
  virtual std::variant<Latency, Rejection> Time(BuiltPlan& candidate,
                                                const RuntimeTiming& timing) = 0;

  // Seconds of the nodes that the runtime times one by one; empty: it times none.
  virtual std::optional<StepTimes> SecondsByNode(BuiltPlan& /*plan*/) { return std::nullopt; }

  // Gives `take` the outputs of each sample, in order.
  virtual std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                                      const TakeOutputs& take) = 0;
};

}  // namespace halftone
