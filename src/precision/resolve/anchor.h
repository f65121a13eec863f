// Anchor of a target: the plan whose latency is the reference for the latencies of other plans.
#pragma once

#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

inline constexpr const char* kFloat32Anchor = "fp32";

struct Anchor {
  // kFloat32Anchor, or the precision mode of the plan in the words of the target's family.
  std::string name = kFloat32Anchor;
  PrecisionPlan plan;

  [[nodiscard]] bool is_float32() const { return name == kFloat32Anchor; }
};

// The most precise plan of the network on the target. It is ReferencePlan() for the host, for a
// target with a TargetSpec::destination, and for a target with a precision mode that gives all
// floating tensors float32. Else it is the plan of the mode with the most operands and results in
// float32, the first of AllPrecisionModes() among equal ones. Modes that refuse the network do not
// count; if all of them do, it is ReferencePlan().
Anchor AnchorOf(const Graph& graph, const TargetSpec& target);

}  // namespace halftone
