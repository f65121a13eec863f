#include "src/exec/fuse_by_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "kernels/cpu_isa.h"
#include "kernels/kernel_table.h"
#include "src/base/error.h"
#include "src/exec/compute_dtypes.h"
#include "src/ir/ir_type.h"
#include "src/ir/op_table.h"
#include "src/passes/passes.h"

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

// Modes of which one is at least as exact as the other.
bool IsOfPrecision(ImplMode mode) {
  return mode == ImplMode::kDefault || mode == ImplMode::kHighPerformance ||
         mode == ImplMode::kHighPrecision;
}

class PlanPolicy : public FusionPolicy {
 public:
  PlanPolicy(const Graph& network, const PrecisionPlan& plan, SharedConstants* shared)
      : network_(network), plan_(plan), shared_(shared) {}

  bool MayFuse(std::string_view name, const FusionRule& rule, const Graph& /*graph*/,
               std::span<const Node* const> nodes) override {
    std::string reason = ReasonAgainst(name, rule, nodes);
    if (reason.empty()) {
      return true;
    }
    KeptApart apart{.pass = name, .nodes = {}, .reason = std::move(reason)};
    for (const Node* node : nodes) {
      apart.nodes.insert(apart.nodes.end(), node->parts.begin(), node->parts.end());
    }
    kept_apart_.push_back(std::move(apart));
    return false;
  }

  Tensor Constant(const Hash128& key, std::span<const Tensor> sources,
                  const std::function<Tensor()>& make) override {
    return shared_ == nullptr ? make() : shared_->Derived(key, sources, make);
  }

  std::vector<KeptApart> TakeKeptApart() { return std::move(kept_apart_); }

 private:
  [[nodiscard]] std::string ReasonAgainst(std::string_view name, const FusionRule& rule,
                                          std::span<const Node* const> nodes) const {
    for (const Node* node : nodes) {
      for (const NodeId part : node->parts) {
        if (plan_.node(part).engine != Engine::kAiCore) {
          return fmt::format("'{}' runs on {}", network_.node(part).name,
                             NameOf(plan_.node(part).engine));
        }
      }
    }
    std::string reason = ReasonOfTarget(name, rule, nodes);
    if (reason.empty()) {
      reason = ReasonOfIntegers(rule, nodes);
    }
    if (reason.empty()) {
      reason = ReasonOfModes(rule.mode, nodes);
    }
    return reason.empty() && rule.values == FusedValues::kWeights ? ReasonOfWeights(nodes) : reason;
  }

  // Reason of a device against a fusion in which a value loses its rounding: none of its own
  // fusions has these parts.
  [[nodiscard]] std::string ReasonOfTarget(std::string_view name, const FusionRule& rule,
                                           std::span<const Node* const> nodes) const {
    if (plan_.fusions == nullptr || rule.values == FusedValues::kSame ||
        std::ranges::any_of(*plan_.fusions, [&](const TargetFusion& fusion) {
          return fusion.pass == name && HasParts(fusion, nodes) && HaveOnePrecision(nodes);
        })) {
      return "";
    }
    return "each rounds its own result on the target";
  }

  // A device fuses before it gives a node its precision.
  [[nodiscard]] bool HaveOnePrecision(std::span<const Node* const> nodes) const {
    const NumericFormat format = plan_.node(nodes.front()->parts.front()).inputs.at(0);
    return std::ranges::all_of(nodes, [&](const Node* node) {
      return std::ranges::all_of(node->parts, [&](NodeId part) {
        const NodePrecision& precision = plan_.node(part);
        return precision.inputs.at(0) == format && precision.outputs.at(0) == format;
      });
    });
  }

  [[nodiscard]] bool HasParts(const TargetFusion& fusion,
                              std::span<const Node* const> nodes) const {
    const NodeId main = nodes.front()->parts.front();
    return std::ranges::all_of(nodes, [&](const Node* node) {
      return std::ranges::all_of(node->parts, [&](NodeId part) {
        const std::string_view type = IrTypeOf(network_, network_.node(part));
        return part == main ? fusion.main.contains(type) : fusion.others.contains(type);
      });
    });
  }

  [[nodiscard]] std::string ReasonOfIntegers(const FusionRule& rule,
                                             std::span<const Node* const> nodes) const {
    for (const Node* node : nodes) {
      for (const NodeId part : node->parts) {
        const NumericFormat format = plan_.node(part).compute_format();
        if (!rule.on_integers && format.is_scaled()) {
          return fmt::format("'{}' computes in {}, whose kernels have no such part",
                             network_.node(part).name, NameOf(format));
        }
      }
    }
    return "";
  }

  [[nodiscard]] std::string ReasonOfModes(FusedMode mode,
                                          std::span<const Node* const> nodes) const {
    const ImplMode main = nodes.front()->impl_mode;
    for (const Node* node : nodes.subspan(1)) {
      const bool fits =
          IsOfPrecision(node->impl_mode) && (mode == FusedMode::kMain || IsOfPrecision(main));
      if (!fits && node->impl_mode != main) {
        return fmt::format("'{}' runs in {}, '{}' in {}", node->name, NameOf(node->impl_mode),
                           nodes.front()->name, NameOf(main));
      }
    }
    return "";
  }

  // Reason against a fusion into weights: a node computes in a format that the weights do not hold.
  // Operand 1 of the first node holds the weights (BatchNormalization: the scale).
  [[nodiscard]] std::string ReasonOfWeights(std::span<const Node* const> nodes) const {
    const NodePrecision& main = plan_.node(nodes.front()->parts.front());
    const NumericFormat weights = main.inputs.at(1);
    // They are rounded behind the fusion, whatever goes into them.
    if (weights.has_scale()) {
      return "";
    }
    for (const Node* node : nodes.subspan(1)) {
      for (const NodeId part : node->parts) {
        const NumericFormat format = plan_.node(part).compute_format();
        if (!Holds(weights, format)) {
          return fmt::format("'{}' computes in {}, the weights of '{}' are {}",
                             network_.node(part).name, NameOf(format), nodes.front()->name,
                             NameOf(weights));
        }
      }
    }
    return "";
  }

  const Graph& network_;
  const PrecisionPlan& plan_;
  SharedConstants* shared_;
  std::vector<KeptApart> kept_apart_;
};

// The precision of fused nodes, from that of their parts.
class PartPrecision {
 public:
  PartPrecision(const Graph& network, const PrecisionPlan& plan, const Graph& fused)
      : network_(network), plan_(plan), fused_(fused) {}

  [[nodiscard]] NodePrecision Of(const Node& node) const {
    if (IsUnchanged(node)) {
      return plan_.node(node.parts.front());
    }
    const std::set<NodeId> parts(node.parts.begin(), node.parts.end());
    const NodePrecision& first = plan_.node(node.parts.front());
    const bool alone = node.parts.size() == 1 && first.impl_mode != ImplMode::kDefault;
    NodePrecision precision{.engine = first.engine,
                            .inputs = {},
                            .outputs = {},
                            .impl_mode = alone ? first.impl_mode : node.impl_mode,
                            .reason = "of its parts"};
    for (const ValueId id : node.outputs) {
      precision.outputs.push_back(id == kNoValue ? precision.outputs.at(0)
                                                 : ResultFormat(parts, node, id));
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) {  // as in every plan
        precision.inputs.push_back(precision.inputs.empty() ? NumericFormat()
                                                            : precision.inputs.front());
        continue;
      }
      const auto read =
          IsMaskOfItsOwnType(node, i) ? std::nullopt : ReadFormat(parts, OwnValue(id));
      precision.inputs.push_back(read ? *read : AddedFormat(node, i, precision));
    }
    return precision;
  }

 private:
  [[nodiscard]] bool IsUnchanged(const Node& node) const {
    if (node.parts.size() != 1) {
      return false;
    }
    const Node& own = network_.node(node.parts.front());
    return own.op == node.op && own.inputs == node.inputs && own.outputs == node.outputs;
  }

  // A constant that the kernel reads in any dtype (a mask of Attention) stays as the model has it:
  // exact, and without a conversion in every run.
  [[nodiscard]] bool IsMaskOfItsOwnType(const Node& node, std::size_t input) const {
    const auto item = SignatureItemAt(InfoOf(node.op).inputs, input);
    return item && item->letter == 'A' && node.op == OpKind::kAttention &&
           fused_.value(node.inputs[input]).constant.has_value();
  }

  // The value of the network that `id` is or stands for; kNoValue: a fusion made it of nothing.
  [[nodiscard]] ValueId OwnValue(ValueId id) const {
    while (Index(id) >= network_.values.size() && fused_.value(id).stands_for != kNoValue) {
      id = fused_.value(id).stands_for;
    }
    return Index(id) < network_.values.size() ? id : kNoValue;
  }

  static bool AreFloating(NumericFormat a, NumericFormat b) {
    return IsFloating(a.dtype()) && IsFloating(b.dtype());
  }

  static NumericFormat Widest(NumericFormat a, NumericFormat b) {
    return !AreFloating(a, b) || Holds(a, b) ? a
           : Holds(b, a)                     ? b
                                             : WidestFloat(a.dtype(), b.dtype());
  }

  // Format of moved data that is rounded on its way: the rounding happens at its beginning. No
  // rounding for two formats of which neither holds the other.
  static NumericFormat Narrowest(NumericFormat a, NumericFormat b) {
    if (!AreFloating(a, b)) {
      return a;
    }
    return Holds(a, b) ? b : Holds(b, a) ? a : WidestFloat(a.dtype(), b.dtype());
  }

  // Format in which the parts read a value; empty: none of them reads it.
  [[nodiscard]] std::optional<NumericFormat> ReadFormat(const std::set<NodeId>& parts,
                                                        ValueId id) const {
    std::optional<NumericFormat> widest;
    for (const NodeId part : parts) {
      const Node& node = network_.node(part);
      for (std::size_t i = 0; id != kNoValue && i < node.inputs.size(); ++i) {
        if (node.inputs[i] != id) {
          continue;
        }
        NumericFormat format = plan_.node(part).inputs[i];
        const OpInfo& info = InfoOf(node.op);
        if (i == 0 && (info.Is(kMovesData) || info.Is(kIsView)) && node.outputs.size() == 1) {
          format = Narrowest(format, plan_.node(part).outputs[0]);
          const auto further = ReadFormat(parts, node.outputs[0]);
          format = further ? Narrowest(format, *further) : format;
        }
        widest = widest ? Widest(*widest, format) : format;
      }
    }
    return widest;
  }

  [[nodiscard]] std::optional<NumericFormat> MadeFormat(const std::set<NodeId>& parts,
                                                        ValueId id) const {
    for (const NodeId part : parts) {
      const std::vector<ValueId>& outputs = network_.node(part).outputs;
      const auto found = std::find(outputs.begin(), outputs.end(), id);
      if (id != kNoValue && found != outputs.end()) {
        return plan_.node(part).outputs[static_cast<std::size_t>(found - outputs.begin())];
      }
    }
    return std::nullopt;
  }

  // A result that stands for an operand, rearranged, has the dtype in which the parts read that.
  [[nodiscard]] NumericFormat ResultFormat(const std::set<NodeId>& parts, const Node& node,
                                           ValueId id) const {
    const ValueId own = OwnValue(id);
    auto format = MadeFormat(parts, own);
    format = format ? format : ReadFormat(parts, own);
    Check(format.has_value(),
          fmt::format("a result of the fused {} is one of its parts'", Describe(node)));
    return *format;
  }

  // Format of an operand that no part reads: a part makes the value that it stands for, or it is a
  // constant that a fusion made of nothing.
  [[nodiscard]] NumericFormat AddedFormat(const Node& node, std::size_t input,
                                          const NodePrecision& so_far) const {
    const std::set<NodeId> parts(node.parts.begin(), node.parts.end());
    if (const auto made = MadeFormat(parts, OwnValue(node.inputs[input]))) {
      return *made;
    }
    const DType original = fused_.value(node.inputs[input]).type.dtype;
    const auto item = SignatureItemAt(InfoOf(node.op).inputs, input);
    if (!item || !IsTunable(original)) {
      return original;
    }
    return item->letter == 'T' && !so_far.inputs.empty() ? so_far.inputs.front()
           : item->letter == 'Y'                         ? so_far.outputs.at(0)
                                                         : original;
  }

  const Graph& network_;
  const PrecisionPlan& plan_;
  const Graph& fused_;
};

// Mode of the kernel that runs the node alone, or a more exact one. The first kernel of the dtype
// runs where the plan leaves the mode open, and where no kernel of this CPU has the mode asked for;
// high_precision stays what it is.
ImplMode ModeOf(const Node& node, const NodePrecision& precision) {
  const ImplMode asked = precision.impl_mode;
  if (asked != ImplMode::kDefault && asked != ImplMode::kHighPerformance) {
    return asked;
  }
  const std::vector<ImplMode> modes =
      KernelImplModes(node.op, precision.compute_dtype(), DetectIsa());
  return modes.empty() || std::ranges::find(modes, asked) != modes.end() ? asked : modes.front();
}

FusedNetwork AsParts(const Graph& graph, const PrecisionPlan& plan) {
  Check(plan.nodes.size() == graph.nodes.size(), "the plan is of another graph");
  FusedNetwork fused{.graph = graph, .plan = {}, .kept_apart = {}};
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    fused.graph.nodes[n].parts = {static_cast<NodeId>(n)};
    fused.graph.nodes[n].impl_mode = ModeOf(graph.nodes[n], plan.nodes[n]);
  }
  return fused;
}

}  // namespace

FusedNetwork FuseByPlan(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared) {
  FusedNetwork fused = AsParts(graph, plan);
  PlanPolicy policy(graph, plan, shared);
  Fuse(fused.graph, policy);
  fused.kept_apart = policy.TakeKeptApart();
  fused.plan = plan;
  fused.plan.nodes.clear();
  const PartPrecision parts(graph, plan, fused.graph);
  for (const Node& node : fused.graph.nodes) {
    fused.plan.nodes.push_back(parts.Of(node));
  }
  return fused;
}

FusedNetwork Unfused(const Graph& graph, const PrecisionPlan& plan) {
  FusedNetwork fused = AsParts(graph, plan);
  fused.plan = plan;
  return fused;
}

}  // namespace halftone
