// Decisions of the search by model: number format and implementation of every group of operators.
// An assignment gives every group one of its choices. It stands for a precision plan;
// ConfigurationFor() (src/precision/write/plan_writer.h) finds the options that give this plan.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/mode_format.h"
#include "search/space/network_steps.h"
#include "search/space/node_choices.h"
#include "src/exec/fuse_by_plan.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// Operators that are decided together: those of one step, or of several steps that share weights.
struct DecisionGroup {
  std::string name;             // name of its first step
  std::vector<NodeId> nodes;    // nodes with a choice, ascending
  std::vector<NodeId> steps;    // the steps that they belong to (NetworkSteps), ascending
  std::vector<Choice> choices;  // at least two; the first is the most exact float32
};

// Tensors that group `from` produces and group `to` reads, directly or through operators that only
// move data. A tensor is cast if the two groups use different dtypes.
struct DecisionEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t elements = 0;           // read in the format in which `to` computes
  std::int64_t residual_elements = 0;  // read in the format of the result of `to`, and added to it

  friend bool operator==(const DecisionEdge&, const DecisionEdge&) = default;
};

// Index of a choice per group; 0 everywhere is the reference.
using Assignment = std::vector<std::size_t>;

struct DecisionOptions {
  std::vector<NumericFormat> formats = {DType::kFloat16, DType::kBFloat16};  // besides float32
  std::vector<std::string> pinned_keep_dtype;                                // keep_dtype lines
  bool implementations = true;        // false: only the most exact implementation in each format
  std::vector<SlowChoice> slow = {};  // choices that are left out
  // Scales for choices in a scaled format. Without scales, no group has such a choice.
  SharedQuantization quantization = {};
};

// `graph` and `target` must outlive it. Immutable.
class Decisions {
 public:
  // Makes no groups if no operator has a choice.
  Decisions(const Graph& graph, const TargetSpec& target, const DecisionOptions& options = {});

  [[nodiscard]] const Graph& graph() const { return graph_; }

  [[nodiscard]] const TargetSpec& target() const { return target_; }

  [[nodiscard]] const NetworkSteps& steps() const { return steps_; }

  [[nodiscard]] std::span<const DecisionGroup> groups() const { return groups_; }

  // Formats of choices other than float32, in the order of DecisionOptions. A dynamic format is
  // included only if some group has it.
  [[nodiscard]] std::span<const NumericFormat> formats() const { return formats_; }

  // Scales of plans with a scaled format.
  [[nodiscard]] const SharedQuantization& quantization() const { return quantization_; }

  // Edges, sorted by `from`, then `to`. All tensors from one group to another are one edge.
  [[nodiscard]] std::span<const DecisionEdge> edges() const { return edges_; }

  // Per group: number of elements of the graph inputs that it reads, and of the graph outputs that
  // it produces. The dtypes of graph inputs and outputs are fixed.
  [[nodiscard]] std::span<const std::int64_t> input_elements() const { return input_elements_; }

  [[nodiscard]] std::span<const std::int64_t> output_elements() const { return output_elements_; }

  // The node with the name of the group if that node has a choice, else the first node of the
  // group.
  [[nodiscard]] NodeId MainOf(const DecisionGroup& group) const;

  // The group whose dtype a node follows, because the node only moves results of this group. Empty
  // for members of groups and for nodes that follow no group.
  [[nodiscard]] std::optional<std::size_t> FollowedBy(NodeId node) const;

  // The group that a node is a member of; empty: none.
  [[nodiscard]] std::optional<std::size_t> GroupOf(NodeId node) const;

  // The plan of an assignment. A node that computes nothing takes the format of its first operand,
  // if the target's op library has a column for it. A node that the target joins with another
  // (src/precision/joined_nodes.h) takes the format of the other's result, unless that format has a
  // scale.
  [[nodiscard]] PrecisionPlan PlanFor(std::span<const std::size_t> assignment) const;

  // The assignment that is closest to a plan. A group whose nodes match none of its choices gets
  // the first choice with the format of its main node (MainOf()), or the reference if there is
  // none.
  [[nodiscard]] Assignment AssignmentOf(const PrecisionPlan& plan) const;

  // True if the plan runs as PlanFor(assignment) does. False if a node matches no choice, or if a
  // node that only moves data has another dtype than its data.
  [[nodiscard]] bool RunsAs(const PrecisionPlan& plan, const Assignment& assignment) const;

  // Assignment in which every group takes `choice` if it has it, else its first choice in the same
  // format, else the reference.
  [[nodiscard]] Assignment Uniform(const Choice& choice) const;

  // Digest of the names of all groups and of their choices, and of the scales if some choice is in
  // a scaled format.
  [[nodiscard]] Hash128 Digest() const;

  // Every choice that some group has, each once: first the choices of the first group, then those
  // that later groups add. The first is the reference of the first group.
  [[nodiscard]] std::vector<Choice> AllChoices() const;

 private:
  // Group that multiplies with weights first, by IrTypeOf() its node and the weights.
  using GroupOfWeights = std::map<std::pair<std::string_view, ValueId>, std::size_t>;

  void AddGroups(const DecisionOptions& options);
  // The group with these choices that a step shares large weights with; empty: there is none, and
  // the weights are noted for the group that comes next.
  [[nodiscard]] std::optional<std::size_t> TiedGroup(const std::vector<NodeId>& deciding,
                                                     const std::vector<Choice>& choices,
                                                     GroupOfWeights& group_of_weights) const;
  // Returns the nodes of the step that have a choice. Adds to `choices` the choices that all of
  // these nodes have, without slow ones, and without those that give the same plan as an earlier
  // one.
  [[nodiscard]] std::vector<NodeId> Deciding(std::size_t step, const DecisionOptions& options,
                                             const std::vector<std::string>& pinned,
                                             std::vector<Choice>& choices);
  // True if the nodes of a step still run as one step in a choice that has a float32 result.
  [[nodiscard]] bool StaysOneStep(std::size_t step, const Choice& choice) const;
  // True if integer kernels compute the step in this choice: all of its nodes for a scaled format,
  // its product for a dynamic format.
  [[nodiscard]] bool RunsOnIntegers(std::size_t step, const Choice& choice) const;
  // The step as a network of its own in this choice, with its nodes fused.
  [[nodiscard]] FusedNetwork StepIn(std::size_t step, const Choice& choice) const;
  // The pinned keep_dtype line of each node; empty: none. A line for a joined node applies to all
  // nodes joined with it.
  [[nodiscard]] std::vector<std::string> PinnedLines(const DecisionOptions& options) const;
  // Gives a joined node the format of its main node's result, unless that format has a scale.
  void JoinPart(NodeId node, PrecisionPlan& plan) const;
  // Precision of a node of a group in one of its choices; empty if the target's op library lacks
  // it.
  [[nodiscard]] std::optional<NodePrecision> FormIn(NodeId node, const Choice& choice) const;
  void AddEdges();
  // True if the node adds the value to the result of the matrix operator of its step.
  [[nodiscard]] bool IsResidual(NodeId node, ValueId value) const;

  [[nodiscard]] NodeId StepOf(NodeId node) const {
    return steps_.step_of[static_cast<std::size_t>(node)];
  }

  const Graph& graph_;
  const TargetSpec& target_;
  NetworkSteps steps_;
  std::vector<NodeId> joined_;  // by node: JoinedWith()
  std::vector<NumericFormat> formats_;
  SharedQuantization quantization_;
  std::vector<DecisionGroup> groups_;
  std::vector<std::optional<std::size_t>> group_of_node_;
  std::vector<std::optional<std::size_t>> followed_;  // by node
  std::vector<NodePrecision> fixed_;                  // by node: its precision in float32
  std::vector<DecisionEdge> edges_;
  std::vector<std::int64_t> input_elements_;
  std::vector<std::int64_t> output_elements_;
};

}  // namespace halftone
