#include "search/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "search/tunable_node.h"
#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/ir/op_table.h"
#include "src/precision/keep_dtype.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

// Constants of at least so many elements tie the operators that share them; scalars and shapes do
// not.
constexpr std::int64_t kLeastTyingElements = 256;

// What nodes outside all groups do: everything in float32 where the target has that.
PrecisionPlan FixedPlan(const Graph& graph, const TargetSpec& target) {
  const PrecisionOptions kept{.precision_mode = "must_keep_origin_dtype",
                              .op_precision_given = true};
  try {
    return ResolvePrecision(graph, kept, target);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
  }
  return ResolvePrecision(graph, {.precision_mode = "allow_fp32_to_fp16"}, target);
}

// 0, the reference, for the end.
std::size_t IndexIn(const std::vector<Choice>& choices, std::vector<Choice>::const_iterator found) {
  return found == choices.end() ? 0 : static_cast<std::size_t>(found - choices.begin());
}

// Of choices that differ in nothing but the implementation, the first.
void KeepMostExact(std::vector<Choice>& choices) {
  const auto others = std::ranges::unique(choices, [](const Choice& a, const Choice& b) {
    return a.dtype == b.dtype && a.wide == b.wide;
  });
  choices.erase(others.begin(), others.end());
}

// The operand whose dtype an operator that only moves data takes over.
ValueId MovedValue(const Node& node) {
  return node.inputs.empty() ? kNoValue : node.inputs.front();
}

}  // namespace

Decisions::Decisions(const Graph& graph, const TargetSpec& target, const DecisionOptions& options)
    : graph_(graph), target_(target), fixed_(FixedPlan(graph, target).nodes) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto form = NodeFormOf(graph, graph.nodes[n], target, {DType::kFloat32});
    if (form && HasTunableOperand(graph, graph.nodes[n])) {
      const ImplMode mode = fixed_[n].impl_mode;
      fixed_[n] = *form;
      fixed_[n].impl_mode = mode;
    }
  }
  AddGroups(options);
  AddEdges();
}

void Decisions::AddGroups(const DecisionOptions& options) {
  group_of_node_.resize(graph_.nodes.size());
  const KeepMatches pinned = MatchKeepLines(graph_, options.pinned_keep_dtype);
  std::map<std::pair<std::string_view, ValueId>, std::size_t> group_of_weights;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const ValueId moved = MovedValue(node);
    const bool moves_constant =
        HasTunableOperand(graph_, node) && moved != kNoValue && graph_.value(moved).constant;
    if (!pinned.line_of_node[n].empty() ||
        (!IsTunableComputation(graph_, node) && !moves_constant)) {
      continue;
    }
    std::vector<Choice> choices = ChoicesOf(graph_, node, target_, options.dtypes);
    if (!options.implementations) {
      KeepMostExact(choices);
    }
    if (choices.empty()) {
      continue;
    }
    fixed_[n] = *NodeFormOf(graph_, node, target_, choices.front());
    if (choices.size() < 2) {
      continue;
    }
    std::optional<std::size_t> group;
    for (const ValueId input : node.inputs) {
      if (input == kNoValue || !graph_.value(input).constant ||
          graph_.value(input).type.shape.ElementCount() < kLeastTyingElements) {
        continue;
      }
      const auto [tied, is_new] = group_of_weights.try_emplace(
          std::pair{IrTypeOf(graph_, node), input}, group.value_or(groups_.size()));
      if (!is_new && !group && groups_[tied->second].choices == choices) {
        group = tied->second;
      }
    }
    if (!group) {
      group = groups_.size();
      groups_.push_back({.name = node.name, .nodes = {}, .choices = choices});
    }
    groups_[*group].nodes.push_back(static_cast<NodeId>(n));
    group_of_node_[n] = group;
  }
}

void Decisions::AddEdges() {
  // By value: the group that decides its dtype.
  std::vector<std::optional<std::size_t>> decided(graph_.values.size());
  std::map<std::pair<std::size_t, std::size_t>, DecisionEdge> edges;
  const std::set<ValueId> inputs(graph_.inputs.begin(), graph_.inputs.end());
  followed_.resize(graph_.nodes.size());
  input_elements_.resize(groups_.size());
  output_elements_.resize(groups_.size());
  const auto index = [](ValueId id) { return static_cast<std::size_t>(id); };
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const OpInfo& info = InfoOf(node.op);
    const ValueId moved = MovedValue(node);
    if (!group_of_node_[n] && (info.Is(kMovesData) || info.Is(kIsView)) && moved != kNoValue &&
        HasTunableOperand(graph_, node)) {
      followed_[n] = decided[index(moved)];
    }
    const std::optional<std::size_t> owner = group_of_node_[n] ? group_of_node_[n] : followed_[n];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (!owner || id == kNoValue) {
        continue;
      }
      const TensorType& type = graph_.value(id).type;
      const bool residual = ReadsAsResult(node, i) && IsTunable(type.dtype);
      if (!residual && !FollowsModes(info.inputs, i, type.dtype)) {
        continue;
      }
      const std::int64_t count = type.shape.ElementCount();
      if (decided[index(id)] && decided[index(id)] != owner) {
        DecisionEdge& edge = edges[{*decided[index(id)], *owner}];
        (residual ? edge.residual_elements : edge.elements) += count;
      } else if (inputs.contains(id)) {
        input_elements_[*owner] += count;
      }
    }
    for (const ValueId id : node.outputs) {
      if (id != kNoValue && IsTunable(graph_.value(id).type.dtype)) {
        decided[index(id)] = owner;
      }
    }
  }
  for (const ValueId id : graph_.outputs) {
    if (const auto owner = decided[index(id)]) {
      output_elements_[*owner] += graph_.value(id).type.shape.ElementCount();
    }
  }
  for (auto& [ends, edge] : edges) {
    std::tie(edge.from, edge.to) = ends;
    edges_.push_back(edge);
  }
}

std::optional<std::size_t> Decisions::FollowedBy(NodeId node) const {
  return followed_[static_cast<std::size_t>(node)];
}

std::optional<std::size_t> Decisions::GroupOf(NodeId node) const {
  return group_of_node_[static_cast<std::size_t>(node)];
}

PrecisionPlan Decisions::PlanFor(std::span<const std::size_t> assignment) const {
  Check(assignment.size() == groups_.size(), "an assignment of another network");
  PrecisionPlan plan{.nodes = fixed_, .overflow = target_.overflow};
  std::vector<DType> dtypes;
  for (const Value& value : graph_.values) {
    dtypes.push_back(value.type.dtype);
  }
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (group_of_node_[n]) {
      const DecisionGroup& group = groups_[*group_of_node_[n]];
      Check(assignment[*group_of_node_[n]] < group.choices.size(), "a choice outside its group");
      plan.nodes[n] =
          *NodeFormOf(graph_, node, target_, group.choices[assignment[*group_of_node_[n]]]);
    } else if (followed_[n]) {
      const DType dtype = dtypes[static_cast<std::size_t>(MovedValue(node))];
      if (auto form = NodeFormOf(graph_, node, target_, {dtype})) {
        plan.nodes[n] = *std::move(form);
      }
    } else if (node.op == OpKind::kCast) {
      plan.nodes[n].inputs[0] = dtypes[static_cast<std::size_t>(node.inputs[0])];
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) {
        dtypes[static_cast<std::size_t>(node.outputs[i])] = plan.nodes[n].outputs[i];
      }
    }
  }
  return plan;
}

Assignment Decisions::AssignmentOf(const PrecisionPlan& plan) const {
  Assignment assignment;
  for (const DecisionGroup& group : groups_) {
    const NodePrecision& made = plan.node(group.nodes.front());
    auto found = std::ranges::find_if(group.choices, [&](const Choice& choice) {
      return NodeFormOf(graph_, graph_.node(group.nodes.front()), target_, choice) == made;
    });
    if (found == group.choices.end()) {
      found = std::ranges::find(group.choices, made.compute_dtype(), &Choice::dtype);
    }
    assignment.push_back(IndexIn(group.choices, found));
  }
  return assignment;
}

bool Decisions::RunsAs(const PrecisionPlan& plan, const Assignment& assignment) const {
  const PrecisionPlan own = PlanFor(assignment);
  for (NodeId n = 0; n < std::ssize(graph_.nodes); ++n) {
    if (!InfoOf(graph_.node(n).op).Is(kIsView) && !(own.node(n) == plan.node(n))) {
      return false;
    }
  }
  return true;
}

Assignment Decisions::Uniform(const Choice& choice) const {
  Assignment assignment;
  for (const DecisionGroup& group : groups_) {
    auto found = std::ranges::find(group.choices, choice);
    if (found == group.choices.end()) {
      found = std::ranges::find(group.choices, choice.dtype, &Choice::dtype);
    }
    assignment.push_back(IndexIn(group.choices, found));
  }
  return assignment;
}

Hash128 Decisions::Digest() const {
  Hasher hasher;
  hasher.Add(std::ssize(groups_));
  for (const DecisionGroup& group : groups_) {
    hasher.Add(group.name).Add(std::ssize(group.choices));
    for (const Choice& choice : group.choices) {
      hasher.Add(NameOf(choice));
    }
  }
  return hasher.Finish();
}

std::vector<Choice> Decisions::AllChoices() const {
  std::vector<Choice> all;
  for (const DecisionGroup& group : groups_) {
    for (const Choice& choice : group.choices) {
      if (std::ranges::find(all, choice) == all.end()) {
        all.push_back(choice);
      }
    }
  }
  return all;
}

}  // namespace halftone
