// Steps of a plan: which nodes run together, and why neighbours stay apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

struct ExplainedStep {
  std::string name;                // of its main node
  std::string op;                  // of the step
  std::vector<std::string> nodes;  // of the network, the main one first
  std::string dtypes;              // "f16,f16,f16 -> f16"
  std::string implementation;
};

// Nodes that one fusion would join if the plan allowed it.
struct NodesApart {
  std::string fusion;              // its name in --fusion_switch_file
  std::vector<std::string> nodes;  // the main one first
  std::string reason;

  friend bool operator==(const NodesApart&, const NodesApart&) = default;
};

// A node whose step runs in another implementation mode than the plan gives the node.
struct NodeOfOtherMode {
  std::string node;
  std::string planned;
  std::string runs;
  std::string step;  // name of the step

  friend bool operator==(const NodeOfOtherMode&, const NodeOfOtherMode&) = default;
};

struct ExplainedSteps {
  std::vector<ExplainedStep> steps;  // in the order in which they run; casts between them left out
  std::vector<NodesApart> apart;
  std::vector<NodeOfOtherMode> other_modes;
  std::vector<std::string> warnings;  // of the plan
};

// Errors as ResolvePrecision().
ExplainedSteps StepsOfPlan(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& options, const ResolveSettings& settings = {});

// One sentence on the nodes whose steps run in another implementation mode than the plan gives;
// empty: there are none. It names the first three.
std::string OtherModesNote(const std::vector<NodeOfOtherMode>& nodes);

// Drops entries without a node of this name, or of this IR type after "OpType::". Error kUsage when
// the network has no such node.
void KeepStepsOf(const Graph& graph, std::string_view node, ExplainedSteps& explained);

// The text of `halftone explain --steps`; the format must be one of ExplainRequest.
std::string FormatSteps(const ExplainedSteps& explained, std::string_view format,
                        const ExplainLayout& layout = {});

}  // namespace halftone
