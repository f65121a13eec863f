// A device as its documents describe it: every node computes on operands that are rounded to the
// formats of the plan, and rounds its own result; float16 saturates where the target does. Written
// without src/exec: rounding is done by hand, results come from the operators' specifications in
// double.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone::testing {

struct DeviceCounts {
  std::int64_t plans = 0;
  std::int64_t values = 0;      // that were compared, each element
  std::int64_t exact = 0;       // of those: must be equal to the bit
  std::int64_t saturated = 0;   // elements that a target made finite
  std::int64_t not_finite = 0;  // elements, on other targets
  std::int64_t fused = 0;       // nodes inside a fusion of the target
};

// Runs the plan as accuracy is measured and compares, node by node, what each node made of the
// operands that it got: equal to the bit where nothing is summed or approximated, else within
//   16 * 2^-23 * the largest operand or result: element functions
//   (n + 32) * 2^-24 * the sum of magnitudes: n-term sums
// before the result is rounded. Every value must have been made, in the format of the plan, except
// inside fusions that the target's data has. One sentence a difference; empty: there is none.
std::vector<std::string> DifferencesOf(const Graph& graph, const PrecisionPlan& plan,
                                       const TargetSpec& target, const std::vector<Tensor>& sample,
                                       DeviceCounts& counts);

}  // namespace halftone::testing
