// Interface that measures a plan. NetworkMeasurer runs the network; tests use one without a clock.
#pragma once

#include <limits>
#include <optional>
#include <variant>

#include "search/trial/pareto_front.h"
#include "search/trial/trial.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Time of a confirmation, seconds: what it should take, and what it must not exceed.
struct ConfirmTime {
  double aim_s = std::numeric_limits<double>::infinity();
  double most_s = std::numeric_limits<double>::infinity();
};

class Measurer {
 public:
  virtual ~Measurer() = default;
  // Measures accuracy on the search samples and a first latency. A Rejection says why the plan has
  // no measurement: an output is not finite, or the plan cannot run.
  virtual std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) = 0;

  // Measures as Measure() does, within a search: may stop timing the plan as soon as it is certain
  // to be dominated (Latency::raced).
  virtual std::variant<Measurement, Rejection> Race(const PrecisionPlan& plan,
                                                    const RacingBounds& /*bounds*/) {
    return Measure(plan);
  }

  // The accuracy part of Measure() alone, with its values per sample.
  [[nodiscard]] virtual std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const = 0;

  // Measures the latency again with fresh buffers and the full protocol, for members of the front.
  virtual Latency Confirm(const PrecisionPlan& plan) = 0;

  // Confirms as Confirm() does, with fewer rounds if `time` is short. Empty if even the fewest
  // rounds that give an interval take too long. `first`: a latency of the plan from Measure(),
  // which is returned if it is that of the anchor (Latency::is_of_anchor()).
  virtual std::optional<Latency> ConfirmWithin(const PrecisionPlan& plan, const Latency& /*first*/,
                                               const ConfirmTime& /*time*/) {
    return Confirm(plan);
  }
};

}  // namespace halftone
