// What a plan says of each node, as data and as the table that `halftone explain` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

struct NodeExplanation {
  std::string node;
  std::string ir_type;
  Engine engine = Engine::kAiCore;
  std::vector<std::optional<DType>> inputs;  // empty: an optional input that is left out
  std::vector<std::optional<DType>> outputs;
  DType compute = DType::kFloat32;
  ImplMode impl_mode = ImplMode::kDefault;
  std::string kept_by;  // the line of keep_dtype in force for this node; empty: none
  std::string reason;
};

struct Explanation {
  std::string mode;  // the effective precision mode
  std::vector<NodeExplanation> nodes;
  std::vector<std::string> warnings;
};

// `plan` is what ResolvePrecision() gave for the same graph, options and target.
Explanation Explain(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                    const PrecisionPlan& plan);

// One line a node in aligned columns, then one line of counts, then the warnings.
std::string FormatExplanation(const Explanation& explanation);

}  // namespace halftone
