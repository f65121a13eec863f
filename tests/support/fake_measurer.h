// A measurer without a clock: latency and loss are computed from the plan, so a search can be
// checked against the truth.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/measure/measurer.h"
#include "src/ir/graph.h"

namespace halftone::testing {

// Latency: the mean over the nodes of 1 (float32), 0.6 (float16), 0.5 (bfloat16) or 0.7 (formats
// that are no dtype), and 10 % more with high_precision. Loss: the root of the sum over the nodes
// of (sensitivity x unit roundoff)^2, which is 0 for float32 and doubled with high_performance. A
// plan with a node of `rejects_float16` in float16 gets a Rejection. Confirm() multiplies the
// latency by `confirm_factor`.
class FakeMeasurer : public Measurer {
 public:
  explicit FakeMeasurer(const Graph& graph) : graph_(graph) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;
  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const override;
  Latency Confirm(const PrecisionPlan& plan) override;
  std::optional<Latency> ConfirmWithin(const PrecisionPlan& plan, const Latency& first,
                                       const ConfirmTime& time) override;

  std::map<std::string, double> sensitivity;  // by node; default 1
  std::vector<std::string> rejects_float16;
  bool runs_as_asked = true;  // false: a runtime ran plans with 16 bits in other types
  double confirm_factor = 1;
  double confirm_s = 0;           // seconds of a confirmation; none is made in less time
  std::vector<Hash128> measured;  // digests in the order measured
  std::vector<Hash128> confirmed;

 private:
  [[nodiscard]] std::variant<Measurement, Rejection> Predict(const PrecisionPlan& plan) const;

  const Graph& graph_;
};

}  // namespace halftone::testing
