// Steps of a plan: which nodes run as one step, and why other neighbours are not fused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

struct ExplainedStep {
  std::string name;                // name of the main node
  std::string op;                  // operator that the step runs as
  std::vector<std::string> nodes;  // nodes of the network in this step, the main one first
  std::string dtypes;              // operands and results: "f16,f16,f16 -> f16"
  std::string implementation;
};

// Nodes that a fusion would join if the plan allowed it.
struct NodesApart {
  std::string fusion;              // name of the fusion in --fusion_switch_file
  std::vector<std::string> nodes;  // the main one first
  std::string reason;

  friend bool operator==(const NodesApart&, const NodesApart&) = default;
};

// A node whose step runs in another implementation mode than the plan gives the node.
struct NodeOfOtherMode {
  std::string node;
  std::string planned;  // mode in the plan
  std::string runs;     // mode of the step
  std::string step;     // name of the step

  friend bool operator==(const NodeOfOtherMode&, const NodeOfOtherMode&) = default;
};

struct ExplainedSteps {
  std::vector<ExplainedStep> steps;  // in order of execution, without casts
  std::vector<NodesApart> apart;
  std::vector<NodeOfOtherMode> other_modes;
  std::vector<std::string> warnings;  // warnings of the plan
};

// Errors as ResolvePrecision().
ExplainedSteps StepsOfPlan(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& options, const ResolveSettings& settings = {});

// One sentence about these nodes, which names the first three; empty for no nodes.
std::string OtherModesNote(const std::vector<NodeOfOtherMode>& nodes);

// Keeps only the entries that contain the node named `node`, or for "OpType::TYPE" a node of that
// IR type. Error kUsage if the network has no such node.
void KeepStepsOf(const Graph& graph, std::string_view node, ExplainedSteps& explained);

// Text of `halftone explain --steps`. `format`: one of ExplainRequest::format.
std::string FormatSteps(const ExplainedSteps& explained, std::string_view format,
                        const ExplainLayout& layout = {});

}  // namespace halftone
