#include "search/space/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "search/space/tunable_node.h"
#include "src/base/error.h"
#include "src/exec/dynamic_products.h"
#include "src/exec/integer_steps.h"
#include "src/ir/fused_operands.h"
#include "src/ir/ir_type.h"
#include "src/ir/op_table.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/joined_nodes.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

// Least number of elements of a constant that ties the operators that share it; scalars and shapes
// tie none.
constexpr std::int64_t kLeastTyingElements = 256;

// The plan of nodes outside all groups: everything in float32, and exact, where the target can do
// that.
PrecisionPlan FixedPlan(const Graph& graph, const TargetSpec& target) {
  const PrecisionOptions kept{.precision_mode = "must_keep_origin_dtype",
                              .op_select_implmode = "high_precision"};
  try {
    return ResolvePrecision(graph, kept, target);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
  }
  return ResolvePrecision(graph, {.precision_mode = "allow_fp32_to_fp16"}, target);
}

// Index of a choice; 0, the reference, for the end.
std::size_t IndexIn(const std::vector<Choice>& choices, std::vector<Choice>::const_iterator found) {
  return found == choices.end() ? 0 : static_cast<std::size_t>(found - choices.begin());
}

// Removes choices that differ from the one before in the implementation only: the most exact one
// stays.
void KeepMostExact(std::vector<Choice>& choices) {
  const auto same = [](const Choice& a, const Choice& b) {
    return a.format == b.format && a.wide == b.wide;
  };
  choices.erase(std::unique(choices.begin(), choices.end(), same), choices.end());
}

ImplMode MostExactOf(const std::vector<ImplMode>& modes) {
  return std::ranges::find(modes, ImplMode::kHighPrecision) != modes.end()
             ? ImplMode::kHighPrecision
             : modes.front();
}

// Order of the choices of a step: float32, then the dtypes in the order of the search. Within one
// dtype: results of that dtype before float32 results, then the most exact implementation first.
// The mode of parts that have one implementation only comes last.
auto BeforeIn(const DecisionOptions& options) {
  return [&options](const Choice& a, const Choice& b) {
    const auto key = [&](const Choice& choice) {
      const auto place =
          std::ranges::find(options.formats, choice.format) - options.formats.begin();
      return std::tuple(choice.format != DType::kFloat32, place, choice.wide,
                        choice.mode == ImplMode::kDefault, choice.mode);
    };
    return key(a) < key(b);
  };
}

// The operand whose dtype an operator that only moves data takes over.
ValueId MovedValue(const Node& node) {
  return node.inputs.empty() ? kNoValue : node.inputs.front();
}

}  // namespace

Decisions::Decisions(const Graph& graph, const TargetSpec& target, const DecisionOptions& options)
    : graph_(graph),
      target_(target),
      steps_(halftone::StepsOf(graph, target.fusions)),
      joined_(JoinedWith(graph, target)),
      formats_(options.formats),
      quantization_(options.quantization),
      fixed_(FixedPlan(graph, target).nodes) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto form = NodeFormOf(graph, graph.nodes[n], target, {DType::kFloat32});
    if (form && HasTunableOperand(graph, graph.nodes[n])) {
      const ImplMode mode = fixed_[n].impl_mode;
      fixed_[n] = *form;
      fixed_[n].impl_mode = mode;
    }
  }
  AddGroups(options);
  std::erase_if(formats_, [&](NumericFormat format) {
    return format.is_dynamic() && std::ranges::none_of(groups_, [&](const DecisionGroup& group) {
             return std::ranges::find(group.choices, format, &Choice::format) !=
                    group.choices.end();
           });
  });
  AddEdges();
}

std::optional<NodePrecision> Decisions::FormIn(NodeId id, const Choice& choice) const {
  const Node& node = graph_.node(id);
  // Behind a matrix operator with a float32 result, a part of its step computes in float32.
  const bool matrix = InfoOf(node.op).outputs.find('Y') != std::string_view::npos;
  Choice own{.format = matrix ? choice.format : choice.output_format(),
             .mode = choice.mode,
             .wide = matrix && choice.wide};
  // An operator that a matrix operator takes along computes in its most exact variant, whatever the
  // mode of the matrix operator (src/passes/fuse/fuse_activation.h).
  const OpKind main = steps_.fused[static_cast<std::size_t>(StepOf(id))].op;
  if (!matrix && InfoOf(main).outputs.find('Y') != std::string_view::npos) {
    own.mode = ImplMode::kHighPrecision;
  }
  const auto op = target_.ai_core.find(IrTypeOf(graph_, node));
  const auto modes = op == target_.ai_core.end()
                         ? decltype(op->second.impl_modes.find(own.format.dtype())){}
                         : op->second.impl_modes.find(own.format.dtype());
  if (op == target_.ai_core.end() || modes == op->second.impl_modes.end() ||
      modes->second.size() < 2) {
    own.mode = ImplMode::kDefault;
  } else if (std::ranges::find(modes->second, own.mode) == modes->second.end()) {
    own.mode = MostExactOf(modes->second);
  }
  return NodeFormOf(graph_, node, target_, own);
}

bool Decisions::StaysOneStep(std::size_t step, const Choice& choice) const {
  if (steps_.nodes[step].size() == 1) {
    return true;
  }
  const Node& fused = steps_.fused[step];
  if (InfoOf(fused.op).outputs.find('Y') == std::string_view::npos) {
    return false;  // its kernels have no other result
  }
  return StepIn(step, choice).graph.nodes.size() == 1;
}

bool Decisions::RunsOnIntegers(std::size_t step, const Choice& choice) const {
  if (choice.format.is_dynamic()) {
    const FusedNetwork fused = StepIn(step, choice);
    return HasDynamicProductsAlone(fused.graph, fused.plan);
  }
  if (!quantization_) {
    return false;
  }
  const FusedNetwork fused = StepIn(step, choice);
  SharedConstants constants;
  try {
    for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
      const Node& node = fused.graph.nodes[n];
      if (target_.destination != nullptr && !IsScaledOn(*target_.destination, node.op)) {
        return false;
      }
      if (!InfoOf(node.op).Is(kIsView) &&
          !IntegerStepOf(fused.graph, node, fused.plan.nodes[n], *quantization_, constants)) {
        return false;
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return false;  // a tensor without a scale
  }
  return true;
}

FusedNetwork Decisions::StepIn(std::size_t step, const Choice& choice) const {
  const Subgraph part = Expanded(
      graph_, steps_, PartOf(StepGraph(graph_, steps_), std::vector{static_cast<NodeId>(step)}));
  PrecisionPlan plan;
  plan.fusions = target_.fusions;
  plan.quantization = quantization_;
  for (const NodeId id : part.nodes) {
    const auto form =
        IsTunableComputation(graph_, graph_.node(id)) ? FormIn(id, choice) : std::nullopt;
    plan.nodes.push_back(form ? *form : fixed_[static_cast<std::size_t>(id)]);
  }
  return FuseByPlan(part.graph, plan, nullptr);
}

std::vector<NodeId> Decisions::Deciding(std::size_t step, const DecisionOptions& options,
                                        const std::vector<std::string>& pinned,
                                        std::vector<Choice>& choices) {
  std::vector<NodeId> deciding;
  std::vector<Choice> all;
  for (const NodeId id : steps_.nodes[step]) {
    const auto n = static_cast<std::size_t>(id);
    const Node& node = graph_.node(id);
    const ValueId moved = MovedValue(node);
    const bool moves_constant =
        HasTunableOperand(graph_, node) && moved != kNoValue && graph_.value(moved).constant;
    if (!pinned[n].empty() || (!IsTunableComputation(graph_, node) && !moves_constant)) {
      continue;
    }
    std::vector<Choice> own = ChoicesOf(graph_, node, target_, options.formats);
    if (!options.implementations) {
      KeepMostExact(own);
    }
    if (own.empty()) {
      continue;
    }
    fixed_[n] = *NodeFormOf(graph_, node, target_, own.front());
    const bool follows = joined_[n] != id &&  // a main node without a choice
                         std::ranges::find(deciding, joined_[n]) == deciding.end();
    if (own.size() > 1 && !follows) {
      deciding.push_back(id);
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  std::erase_if(all,
                [&](const Choice& choice) { return choice.wide && !StaysOneStep(step, choice); });
  std::erase_if(all, [&](const Choice& choice) {
    return choice.format.has_scale() && !RunsOnIntegers(step, choice);
  });
  std::ranges::sort(all, BeforeIn(options));
  all.erase(std::unique(all.begin(), all.end()), all.end());
  // Choices that every deciding node has; of those that give all of them the same plan, the first,
  // which a machine profile may have left out.
  const std::string& name = graph_.node(steps_.main[step]).name;
  const auto is_slow = [&](const Choice& choice) {
    return std::ranges::any_of(options.slow, [&](const SlowChoice& slow) {
      return slow.step == name && slow.choice == choice;
    });
  };
  std::vector<std::vector<NodePrecision>> known;
  for (const Choice& choice : all) {
    std::vector<NodePrecision> forms;
    for (const NodeId id : deciding) {
      if (auto form = FormIn(id, choice)) {
        forms.push_back(*std::move(form));
      }
    }
    if (forms.size() == deciding.size() && std::ranges::find(known, forms) == known.end()) {
      known.push_back(std::move(forms));
      if (!is_slow(choice)) {
        choices.push_back(choice);
      }
    }
  }
  return deciding;
}

std::vector<std::string> Decisions::PinnedLines(const DecisionOptions& options) const {
  std::vector<std::string> lines = MatchKeepLines(graph_, options.pinned_keep_dtype).line_of_node;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string& of_main = lines[static_cast<std::size_t>(joined_[n])];
    of_main = of_main.empty() ? lines[n] : of_main;
  }
  for (std::size_t n = 0; n < lines.size(); ++n) {
    lines[n] = lines[n].empty() ? lines[static_cast<std::size_t>(joined_[n])] : lines[n];
  }
  return lines;
}

void Decisions::JoinPart(NodeId node, PrecisionPlan& plan) const {
  const NumericFormat format = plan.node(joined_[static_cast<std::size_t>(node)]).outputs.at(0);
  if (format.has_scale()) {
    return;
  }
  if (auto form = NodeFormOf(graph_, graph_.node(node), target_, {format})) {
    form->impl_mode = plan.node(node).impl_mode;
    plan.nodes[static_cast<std::size_t>(node)] = *std::move(form);
  }
}

std::optional<std::size_t> Decisions::TiedGroup(const std::vector<NodeId>& deciding,
                                                const std::vector<Choice>& choices,
                                                GroupOfWeights& group_of_weights) const {
  std::optional<std::size_t> group;
  for (const NodeId id : deciding) {
    const Node& node = graph_.node(id);
    for (const ValueId input : node.inputs) {
      if (input == kNoValue || !graph_.value(input).constant ||
          graph_.value(input).type.shape.ElementCount() < kLeastTyingElements) {
        continue;
      }
      const auto [tied, is_new] = group_of_weights.try_emplace(
          std::pair{IrTypeOf(graph_, node), input}, group.value_or(groups_.size()));
      if (!is_new && !group && tied->second < groups_.size() &&
          groups_[tied->second].choices == choices) {
        group = tied->second;
      }
    }
  }
  return group;
}

void Decisions::AddGroups(const DecisionOptions& options) {
  group_of_node_.resize(graph_.nodes.size());
  const std::vector<std::string> pinned = PinnedLines(options);
  GroupOfWeights group_of_weights;
  for (std::size_t step = 0; step < steps_.nodes.size(); ++step) {
    std::vector<Choice> choices;
    const std::vector<NodeId> deciding = Deciding(step, options, pinned, choices);
    if (choices.size() < 2) {
      continue;
    }
    std::optional<std::size_t> group = TiedGroup(deciding, choices, group_of_weights);
    if (!group) {
      group = groups_.size();
      groups_.push_back({.name = graph_.node(steps_.main[step]).name,
                         .nodes = {},
                         .steps = {},
                         .choices = choices});
    }
    groups_[*group].steps.push_back(static_cast<NodeId>(step));
    for (const NodeId id : deciding) {
      groups_[*group].nodes.push_back(id);
      group_of_node_[static_cast<std::size_t>(id)] = group;
    }
  }
  for (DecisionGroup& group : groups_) {
    std::ranges::sort(group.nodes);
  }
}

void Decisions::AddEdges() {
  // The group that decides the dtype of each value.
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
      const bool residual = IsResidual(static_cast<NodeId>(n), id) && IsTunable(type.dtype);
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

bool Decisions::IsResidual(NodeId node, ValueId value) const {
  const Node& step = steps_.fused[static_cast<std::size_t>(StepOf(node))];
  return step.fusion.residual != ResidualPlace::kNone &&
         step.inputs.at(kResidualOperand) == value && graph_.node(node).op == OpKind::kAdd;
}

std::optional<std::size_t> Decisions::FollowedBy(NodeId node) const {
  return followed_[static_cast<std::size_t>(node)];
}

std::optional<std::size_t> Decisions::GroupOf(NodeId node) const {
  return group_of_node_[static_cast<std::size_t>(node)];
}

PrecisionPlan Decisions::PlanFor(std::span<const std::size_t> assignment) const {
  Check(assignment.size() == groups_.size(), "an assignment of another network");
  PrecisionPlan plan{.nodes = fixed_, .overflow = target_.overflow, .fusions = target_.fusions};
  std::vector<NumericFormat> formats;
  for (const Value& value : graph_.values) {
    formats.push_back(value.type.dtype);
  }
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (group_of_node_[n]) {
      const DecisionGroup& group = groups_[*group_of_node_[n]];
      Check(assignment[*group_of_node_[n]] < group.choices.size(), "a choice outside its group");
      plan.nodes[n] =
          *FormIn(static_cast<NodeId>(n), group.choices[assignment[*group_of_node_[n]]]);
    } else if (followed_[n]) {
      NumericFormat format = formats[static_cast<std::size_t>(MovedValue(node))];
      if (format.is_scaled() && target_.destination != nullptr &&
          !IsScaledOn(*target_.destination, node.op)) {
        format = NumericFormat();
      }
      if (auto form = NodeFormOf(graph_, node, target_, {format})) {
        plan.nodes[n] = *std::move(form);
      }
    } else if (node.op == OpKind::kCast) {
      // A Cast of the model reads what its operand holds.
      plan.nodes[n].inputs[0] = formats[static_cast<std::size_t>(node.inputs[0])].dtype();
    }
    if (joined_[n] != static_cast<NodeId>(n)) {
      JoinPart(static_cast<NodeId>(n), plan);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) {
        formats[static_cast<std::size_t>(node.outputs[i])] = plan.nodes[n].outputs[i];
      }
    }
  }
  if (std::ranges::any_of(plan.nodes, [&](const NodePrecision& precision) {
        return TakesScales(precision, quantization_);
      })) {
    plan.quantization = quantization_;
  }
  return plan;
}

NodeId Decisions::MainOf(const DecisionGroup& group) const {
  const NodeId main = steps_.main[static_cast<std::size_t>(group.steps.front())];
  return std::ranges::find(group.nodes, main) != group.nodes.end() ? main : group.nodes.front();
}

Assignment Decisions::AssignmentOf(const PrecisionPlan& plan) const {
  Assignment assignment;
  for (const DecisionGroup& group : groups_) {
    auto found = std::ranges::find_if(group.choices, [&](const Choice& choice) {
      return std::ranges::all_of(
          group.nodes, [&](NodeId node) { return FormIn(node, choice) == plan.node(node); });
    });
    if (found == group.choices.end()) {
      const NodeId main = MainOf(group);
      found = std::ranges::find(group.choices, plan.node(main).compute_format(), &Choice::format);
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
      found = std::ranges::find(group.choices, choice.format, &Choice::format);
    }
    assignment.push_back(IndexIn(group.choices, found));
  }
  return assignment;
}

Hash128 Decisions::Digest() const {
  Hasher hasher;
  bool is_scaled = false;
  hasher.Add(std::ssize(groups_));
  for (const DecisionGroup& group : groups_) {
    hasher.Add(group.name).Add(std::ssize(group.choices));
    for (const Choice& choice : group.choices) {
      hasher.Add(NameOf(choice));
      is_scaled = is_scaled || choice.format.is_scaled();
    }
  }
  if (is_scaled) {
    hasher.Add(quantization_.digest());
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
