// Interface of a runtime outside halftone, such as that of the user's application. Plans are built,
// timed and run on it (docs/guide/measuring_elsewhere.md).
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

  // Facts known so far; they are complete after the plan was timed.
  [[nodiscard]] virtual const RuntimeRun& facts() const = 0;
};

struct RuntimeTiming {
  double budget_s = 2.0;  // seconds of timed runs, for plan and anchor together
  int min_rounds = 10;    // rounds of plan and anchor in turns; an interval of 95 % takes six
  // Number of pairs of buffers, at different addresses, that share the time
  // (search/measure/placements.h). A runtime may use fewer.
  int placements = 1;
  std::uint64_t seed = 1;
  // Timing may end once the latency ratio lies above this with 95 % confidence (Latency::raced).
  double give_up_above = std::numeric_limits<double>::infinity();
};

enum class RuntimeOutputs : std::uint8_t {
  kTaken,  // the outputs of all samples, or of as many as were asked for
  kNone,   // the runtime hands out no outputs: accuracy is measured on halftone's kernels
};

// Takes the outputs of a sample, in the order of the network; returns false if no more are wanted.
using TakeOutputs = std::function<bool(std::size_t sample, std::vector<Tensor> outputs)>;

// Interface of the runtime; it is not thread safe. A Rejection says in the runtime's own words why
// it cannot build or run a plan; the Rejection is stored, and the plan is not tried again. Errors
// kIo and kUnsupported: the machine fails, which says nothing about the plan.
class Runtime {
 public:
  virtual ~Runtime() = default;

  // Everything that latencies depend on besides the plan, such as "ONNX Runtime 1.30.0, CPU, 2
  // threads". It is part of the key of stored measurements.
  [[nodiscard]] virtual const std::string& description() const = 0;

  // Name of the anchor (src/precision/resolve/anchor.h), with which plans are timed in turns.
  [[nodiscard]] virtual std::string anchor() const { return kFloat32Anchor; }

  // Builds a plan. A plan that was built before is not built again.
  virtual std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) = 0;

  // Times the plan in turns with the anchor.
  virtual std::variant<Latency, Rejection> Time(BuiltPlan& candidate,
                                                const RuntimeTiming& timing) = 0;

  // Seconds of the nodes that the runtime times one by one; empty if it times none.
  virtual std::optional<StepTimes> SecondsByNode(BuiltPlan& /*plan*/) { return std::nullopt; }

  // Passes the outputs of each sample to `take`, in order.
  virtual std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                                      const TakeOutputs& take) = 0;
};

}  // namespace halftone
