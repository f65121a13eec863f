// Time of a plan on a device that is not here, predicted from the figures of its data sheet.
#pragma once

#include <string>

#include "search/measure/step_times.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/anchor.h"
#include "src/target/target_spec.h"

namespace halftone {

// Roofline: a node takes the time of its products, or that of moving its operands and results,
// whichever is longer (Williams, Waterman and Patterson, "Roofline: an insightful visual
// performance model for multicore architectures", 2009). A value is cast once for each format,
// other than its own, in which it is read; a cast moves the value once more. Nodes run one after
// the other. Fusion, start-up and the on-chip memory are left out, so ratios of plans of one
// network mean more than seconds. For a destination (src/target/destinations.h), a cast takes
// Destination::conversion times as long, and outputs in a format other than the model's are cast,
// too.
class Roofline {
 public:
  // Uses the figures of TargetSpec::roofline: cube_float16, cube_bfloat16 and cube_float32 in
  // TFLOP/s, cube_int8 in TOP/s, and memory_bandwidth in GB/s. If the target lacks cube_float16 or
  // memory_bandwidth, that of Ascend310P3 is used. If it lacks another figure, it is derived from
  // cube_float16: the same for bfloat16, a quarter for float32, twice as much for int8.
  explicit Roofline(const TargetSpec& target);

  // Seconds of one run.
  [[nodiscard]] double SecondsOf(const Graph& graph, const PrecisionPlan& plan) const {
    return StepsOf(graph, plan, 1).total;
  }

  // Seconds of one run of the target's anchor (src/precision/resolve/anchor.h).
  [[nodiscard]] double AnchorSeconds(const Graph& graph) const {
    return SecondsOf(graph, AnchorOf(graph, target_).plan);
  }

  // Times of nodes and casts, in multiples of `unit` seconds.
  [[nodiscard]] StepTimes StepsOf(const Graph& graph, const PrecisionPlan& plan, double unit) const;

  // "predicted for Ascend310P3 by the roofline of 70 TFLOP/s in float16 and 205 GB/s", "predicted
  // for TensorRT on a T4 by the roofline of 130 TOP/s in int8, 8.1 TFLOP/s in float32 and 300 GB/s"
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  TargetSpec target_;
  double float16_ = 0;  // operations a second
  double bfloat16_ = 0;
  double float32_ = 0;
  double int8_ = 0;       // rate of formats with a scale
  double bandwidth_ = 0;  // bytes a second
  double border_ = 1;     // time of a cast / time of moving its bytes
  bool casts_outputs_ = false;
  std::string description_;
};

// Number of multiplications and additions of the products in a node; 0 for other operators.
double ProductOperations(const Graph& graph, const Node& node);

// Share of the ProductOperations() of a network that the plan computes in formats with a scale; 0
// for a network without products.
double ScaledShare(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
