// Interface that measures a plan. NetworkMeasurer runs the network; tests use one without a clock.
#pragma once

#include <limits>
#include <optional>
#include <variant>

#include "search/trial/pareto_front.h"
#include "search/trial/trial.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Seconds that a confirmation should take, and that it must not exceed.
struct ConfirmTime {
  double aim_s = std::numeric_limits<double>::infinity();
  double most_s = std::numeric_limits<double>::infinity();
};

class Measurer {
 public:
  virtual ~Measurer() = default;
  // Accuracy on the search samples and a first latency. A Rejection when outputs are not finite.
  virtual std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) = 0;

  // Measure() within a search: may stop timing a candidate as soon as it is certain to be dominated
  // (Latency::raced).
  virtual std::variant<Measurement, Rejection> Race(const PrecisionPlan& plan,
                                                    const RacingBounds& /*bounds*/) {
    return Measure(plan);
  }

  // The accuracy part of Measure() alone, with its values per sample.
  [[nodiscard]] virtual std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const = 0;

  // Measures the latency again with fresh buffers and the full protocol, for members of the front.
  virtual Latency Confirm(const PrecisionPlan& plan) = 0;

  // Confirm() with fewer rounds if `time` is short; empty if even the fewest rounds that give an
  // interval take longer. `first`: a latency of the plan from Measure().
  virtual std::optional<Latency> ConfirmWithin(const PrecisionPlan& plan, const Latency& /*first*/,
                                               const ConfirmTime& /*time*/) {
    return Confirm(plan);
  }
};

}  // namespace halftone
