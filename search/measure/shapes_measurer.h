// The measurer of a network at one or several input shapes: the latency of a plan is the weighted
// mean over the shapes, its accuracy is that over all samples.
//
// With t_i and t0_i the times of plan and float32 at shape i, and w_i the weights, the ratio is sum
// w_i t_i / sum w_i t0_i = sum v_i r_i with v_i = w_i t0_i / sum w_j t0_j. Shapes are measured one
// after the other, so their errors are independent, and each side of the interval is the root of
// the sum of squares of v_i times the half-widths.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/measure/measurer.h"
#include "search/measure/network_measurer.h"
#include "src/accuracy/merged_accuracy.h"

namespace halftone {

// The network at one input shape. `graph` and `dataset` must outlive the measurer.
struct MeasuredShape {
  std::string name;  // "x:1,3,224,224"
  const Graph* graph = nullptr;
  const Dataset* dataset = nullptr;
  double weight = 1;  // above 0
  CompileOptions compile;
};

// Measurement of a plan at one shape.
struct ShapeMeasurement {
  Latency latency;
  Accuracy accuracy;  // without values per sample
};

// Expected latency of a run whose shape is drawn with these weights. Requires one weight a latency,
// and at least one latency.
Latency WeightedLatency(std::span<const Latency> latencies, std::span<const double> weights);

// Plans belong to one graph, that of the first shape of a search; it need not be among `shapes`.
// Not thread safe.
class ShapesMeasurer : public Measurer {
 public:
  // Errors: those of NetworkMeasurer, which name the shape if there are several; kUnsupported if a
  // shape has nodes that the graph of plans lacks. `options.compile` is not used. The shapes share
  // budgets and memory.
  ShapesMeasurer(const Graph& plans_of, std::vector<MeasuredShape> shapes,
                 const MeasureOptions& options);

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;
  // Calls NetworkMeasurer::Race() with one shape, Measure() with several.
  std::variant<Measurement, Rejection> Race(const PrecisionPlan& plan,
                                            const RacingBounds& bounds) override;
  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const override;
  Latency Confirm(const PrecisionPlan& plan) override;
  std::optional<Latency> ConfirmWithin(const PrecisionPlan& plan, const Latency& first,
                                       const ConfirmTime& time) override;

  // Accuracy of the anchor over the samples of all shapes.
  [[nodiscard]] const Accuracy& reference_accuracy() const { return reference_accuracy_; }

  [[nodiscard]] std::optional<double> reference_top1() const;

  // Seconds of running the anchors on all samples, and of compiling them.
  [[nodiscard]] double reference_pass_s() const;
  [[nodiscard]] double compile_s() const;

  // The largest arena of an anchor, bytes.
  [[nodiscard]] std::int64_t reference_arena_bytes() const;

  // Number of samples of all shapes.
  [[nodiscard]] std::size_t samples() const;

  [[nodiscard]] const std::vector<MeasuredShape>& shapes() const { return shapes_; }

  // The newest results for the plan with this digest, by shape; empty if this object did not
  // measure it.
  [[nodiscard]] std::vector<ShapeMeasurement> ByShape(const Hash128& plan) const;

  // Fills in MetricValue::worst_sample_name.
  void NameWorstSamples(Accuracy& accuracy) const;

 private:
  [[nodiscard]] PrecisionPlan PlanAt(std::size_t shape, const PrecisionPlan& plan) const;
  [[nodiscard]] Accuracy Merged(std::vector<AccuracyPart> parts) const;
  Latency Remember(const PrecisionPlan& plan, const std::vector<Latency>& latencies);

  const Graph& plans_of_;
  std::vector<MeasuredShape> shapes_;
  std::vector<double> weights_;
  LossMetric metric_;
  std::vector<std::unique_ptr<NetworkMeasurer>> measurers_;
  Accuracy reference_accuracy_;
  std::map<Hash128, std::vector<ShapeMeasurement>> by_shape_;
};

}  // namespace halftone
