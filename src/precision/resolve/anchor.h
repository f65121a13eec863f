// Anchor of a target: what the latencies of its plans are compared with.
#pragma once

#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

inline constexpr const char* kFloat32Anchor = "fp32";

struct Anchor {
  std::string name = kFloat32Anchor;  // or the precision mode, in the words of the target's family
  PrecisionPlan plan;

  [[nodiscard]] bool is_float32() const { return name == kFloat32Anchor; }
};

// The most precise plan that the target has. Where it runs the network in float32: ReferencePlan().
// Else: the plan of the precision mode, among those in which it runs the network, with the most
// operands and results in float32, and of equal ones the first of AllPrecisionModes(). For a
// network that no mode runs, whose plans are all refused: ReferencePlan().
Anchor AnchorOf(const Graph& graph, const TargetSpec& target);

}  // namespace halftone
