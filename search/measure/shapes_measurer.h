// Measurer of a network at one or several input shapes. The latency of a plan is the weighted mean
// over the shapes; its accuracy is that over the samples of all shapes.
//
//   ratio = sum w_i t_i / sum w_i t0_i = sum v_i r_i  with  v_i = w_i t0_i / sum w_j t0_j
//   half-width of its interval = sqrt(sum (v_i h_i)^2), on each side
//
// At shape i, w_i is the weight, t_i the time of the plan, t0_i the time of float32, r_i their
// ratio, and h_i the half-width of its interval. Shapes are measured one after the other, so their
// errors are independent.
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

// Expected latency of a run whose shape is drawn with these weights. Requires at least one latency,
// and one weight for each.
Latency WeightedLatency(std::span<const Latency> latencies, std::span<const double> weights);

// All plans belong to one graph, that of the first shape of a search. This shape need not be among
// `shapes`. The measurer is not thread safe.
class ShapesMeasurer : public Measurer {
 public:
  // Errors: those of NetworkMeasurer, which name the shape if there are several; kUnsupported if a
  // shape has nodes that the graph of the plans lacks. `options.compile` is not used. Each shape
  // gets an equal share of the budgets (a quarter at least) and of options.max_kept_bytes.
  ShapesMeasurer(const Graph& plans_of, std::vector<MeasuredShape> shapes,
                 const MeasureOptions& options);

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;
  // Calls NetworkMeasurer::Race() if there is one shape, else Measure() for each shape.
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

  // Seconds that the anchors took for all samples.
  [[nodiscard]] double reference_pass_s() const;
  // Seconds that it took to compile the anchors.
  [[nodiscard]] double compile_s() const;

  // Bytes of the largest arena of an anchor.
  [[nodiscard]] std::int64_t reference_arena_bytes() const;

  // Number of samples of all shapes.
  [[nodiscard]] std::size_t samples() const;

  [[nodiscard]] const std::vector<MeasuredShape>& shapes() const { return shapes_; }

  // The newest results for the plan with this digest, by shape; empty if this object did not
  // measure the plan. With a single shape, only a confirmation stores results.
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
