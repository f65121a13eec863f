// Compares the precision of fused nodes with the plan of their parts: whatever the plan keeps in
// float32 must be computed in float32 (src/exec/fuse_by_plan.h). The check is written from the
// rules alone and uses none of the code of src/exec.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/executable.h"
#include "src/exec/fuse_by_plan.h"
#include "src/ir/op_table.h"

namespace halftone::testing {

class FusedPrecisionCheck {
 public:
  FusedPrecisionCheck(const Graph& network, const PrecisionPlan& plan, const FusedNetwork& fused)
      : network_(network), plan_(plan), fused_(fused) {}

  // One sentence for each rule that is broken; empty: all hold.
  std::vector<std::string> Faults() {
    if (fused_.plan.nodes.size() != fused_.graph.nodes.size()) {
      return {"the plan of the fused network is of another graph"};
    }
    std::set<NodeId> seen;
    for (std::size_t n = 0; n < fused_.graph.nodes.size(); ++n) {
      node_ = &fused_.graph.nodes[n];
      precision_ = &fused_.plan.nodes[n];
      parts_ = std::set<NodeId>(node_->parts.begin(), node_->parts.end());
      seen.insert(parts_.begin(), parts_.end());
      if (parts_.empty() || precision_->inputs.size() != node_->inputs.size() ||
          precision_->outputs.size() != node_->outputs.size()) {
        Fault("has no parts, or dtypes for another number of operands");
        continue;
      }
      CheckEngine();
      CheckMode();
      CheckOperands();
      CheckResults();
      CheckFoldedConstants();
    }
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      if (!seen.contains(static_cast<NodeId>(n))) {
        faults_.push_back(fmt::format("no step computes {}", Describe(network_.nodes[n])));
      }
    }
    return std::move(faults_);
  }

 private:
  void Fault(const std::string& what) {
    faults_.push_back(fmt::format("fused {}: {}", Describe(*node_), what));
  }

  // True if `a` has every value of `b`.
  static bool Holds(DType a, DType b) {
    return a == b || (a == DType::kFloat32 && (b == DType::kFloat16 || b == DType::kBFloat16)) ||
           (a == DType::kFloat64 && IsFloating(b));
  }

  static bool Moves(OpKind op) { return InfoOf(op).Is(kMovesData) || InfoOf(op).Is(kIsView); }

  // True for matrix operators and BatchNormalization. Parts that are fused behind them are computed
  // in float32 in any mode.
  static bool IsMain(OpKind op) {
    return InfoOf(op).Is(kCube) || op == OpKind::kBatchNormalization;
  }

  static int Exactness(ImplMode mode) {
    return mode == ImplMode::kHighPrecision     ? 2
           : mode == ImplMode::kHighPerformance ? 1
           : mode == ImplMode::kDefault         ? 0
                                                : -1;
  }

  void CheckEngine() {
    for (const NodeId part : parts_) {
      const Engine engine = plan_.node(part).engine;
      if (engine != precision_->engine || (parts_.size() > 1 && engine != Engine::kAiCore)) {
        Fault(fmt::format("runs on {}, its part {} on {}", NameOf(precision_->engine),
                          Describe(network_.node(part)), NameOf(engine)));
      }
    }
  }

  void CheckMode() {
    if (Moves(node_->op) && parts_.size() > 1) {
      return;  // it computes nothing
    }
    const ImplMode mode = precision_->impl_mode;
    const NodeId main = node_->parts.front();
    for (const NodeId part : parts_) {
      const ImplMode own = plan_.node(part).impl_mode;
      const bool same = own == mode;
      const bool fits = IsMain(node_->op) && part != main
                            ? Exactness(own) >= 0
                            : Exactness(own) >= 0 && Exactness(mode) >= Exactness(own);
      const bool open = own == ImplMode::kDefault;  // one that no plan chose may be named
      if (!same && (!fits || (parts_.size() == 1 && !open))) {
        Fault(fmt::format("runs in {}, its part {} in {}", NameOf(mode),
                          Describe(network_.node(part)), NameOf(own)));
      }
    }
  }

  // The value of the original network whose elements `id` holds; kNoValue: none.
  [[nodiscard]] ValueId OwnValue(ValueId id) const {
    const auto count = static_cast<ValueId>(network_.values.size());
    while (id >= count) {
      id = fused_.graph.value(id).stands_for;
    }
    return id;
  }

  // Dtypes on the way from a value to the part that computes with it, or to where it leaves the
  // fused node.
  struct Way {
    std::vector<DType> dtypes;
    NodeId reader = kNoNode;
  };

  void CollectWays(ValueId id, const std::vector<DType>& before, std::vector<Way>& ways) const {
    for (const NodeId part : parts_) {
      const Node& node = network_.node(part);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i] != id) {
          continue;
        }
        std::vector<DType> dtypes = before;
        dtypes.push_back(plan_.node(part).inputs[i].dtype());
        if (!Moves(node.op) || !IsFloating(dtypes.back())) {
          ways.push_back({dtypes, part});
          continue;
        }
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
          std::vector<DType> moved = dtypes;
          moved.push_back(plan_.node(part).outputs[k].dtype());
          const std::size_t count = ways.size();
          CollectWays(node.outputs[k], moved, ways);
          if (ways.size() == count) {
            ways.push_back({std::move(moved), part});  // it leaves the fused node here
          }
        }
      }
    }
  }

  // Checks one way: the dtype of the operand must hold all values of at least one dtype on it.
  void CheckWay(std::size_t input, const Way& way) {
    const DType dtype = precision_->inputs[input].dtype();
    const bool holds = std::any_of(way.dtypes.begin(), way.dtypes.end(),
                                   [&](DType asked) { return Holds(dtype, asked); });
    if (!holds) {
      Fault(fmt::format("reads operand {} in {}, its part {} in {}", input, NameOf(dtype),
                        Describe(network_.node(way.reader)), NameOf(way.dtypes.back())));
    }
  }

  void CheckOperands() {
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      const ValueId own = node_->inputs[i] == kNoValue ? kNoValue : OwnValue(node_->inputs[i]);
      if (own == kNoValue) {
        continue;
      }
      std::vector<Way> ways;
      CollectWays(own, {}, ways);
      std::set<DType> asked;
      for (const Way& way : ways) {
        CheckWay(i, way);
        asked.insert(way.dtypes.begin(), way.dtypes.end());
      }
      if (const auto made = MadeIn(own); ways.empty() && made && *made != precision_->inputs[i]) {
        Fault(fmt::format("reads operand {} in {}, its part makes it in {}", i,
                          NameOf(precision_->inputs[i]), NameOf(*made)));
      }
      // Nor is it wider than any of them needs: float32 holds two 16-bit types that differ. But a
      // constant mask of Attention stays as the model has it.
      const DType dtype = precision_->inputs[i].dtype();
      const auto item = SignatureItemAt(InfoOf(node_->op).inputs, i);
      if (node_->op == OpKind::kAttention && item && item->letter == 'A' &&
          network_.value(own).constant && dtype == network_.value(own).type.dtype) {
        continue;
      }
      if (!asked.empty() && !asked.contains(dtype) &&
          !(dtype == DType::kFloat32 && asked.size() > 1)) {
        Fault(fmt::format("reads operand {} in {}, in which no part does", i, NameOf(dtype)));
      }
    }
  }

  [[nodiscard]] std::optional<DType> MadeIn(ValueId id) const {
    for (const NodeId part : parts_) {
      const std::vector<ValueId>& outputs = network_.node(part).outputs;
      const auto found = std::find(outputs.begin(), outputs.end(), id);
      if (found != outputs.end()) {
        return plan_.node(part).outputs[static_cast<std::size_t>(found - outputs.begin())].dtype();
      }
    }
    return std::nullopt;
  }

  void CheckResults() {
    for (std::size_t k = 0; k < node_->outputs.size(); ++k) {
      const ValueId id = node_->outputs[k];
      if (id == kNoValue) {
        continue;
      }
      const ValueId own = OwnValue(id);
      const DType dtype = precision_->outputs[k].dtype();
      if (const auto made = MadeIn(own)) {
        if (*made != dtype) {
          Fault(fmt::format("makes result {} in {}, its part in {}", k, NameOf(dtype),
                            NameOf(*made)));
        }
        continue;
      }
      std::vector<Way> ways;  // an operand, rearranged
      CollectWays(own, {}, ways);
      const bool holds = std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
        return std::any_of(way.dtypes.begin(), way.dtypes.end(),
                           [&](DType asked) { return Holds(dtype, asked); });
      });
      if (!holds || id == own) {
        Fault(fmt::format("makes result {}, which no part of it does", k));
      }
    }
  }

  // Checks constants that were folded into the weights: those of BatchNormalization, and factors
  // for each channel.
  void CheckFoldedConstants() {
    const Node& main = network_.node(node_->parts.front());
    if (!IsMain(main.op) || parts_.size() == 1) {
      return;
    }
    for (const NodeId part : parts_) {
      const Node& node = network_.node(part);
      const bool is_affine = node.op == OpKind::kBatchNormalization || node.op == OpKind::kMul ||
                             node.op == OpKind::kDiv;
      if (part == node_->parts.front() || !is_affine) {
        continue;
      }
      const bool folded = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
        return network_.value(id).constant && network_.value(id).type.shape.ElementCount() > 1;
      });
      const DType weights = precision_->inputs.at(1).dtype();
      if (folded && !Holds(weights, plan_.node(part).compute_dtype())) {
        Fault(fmt::format("has weights in {}, its part {} computes in {}", NameOf(weights),
                          Describe(node), NameOf(plan_.node(part).compute_dtype())));
      }
    }
  }

  const Graph& network_;
  const PrecisionPlan& plan_;
  const FusedNetwork& fused_;
  const Node* node_ = nullptr;
  const NodePrecision* precision_ = nullptr;
  std::set<NodeId> parts_;
  std::vector<std::string> faults_;
};

inline std::vector<std::string> FusedPrecisionFaults(const Graph& network,
                                                     const PrecisionPlan& plan,
                                                     const FusedNetwork& fused) {
  return FusedPrecisionCheck(network, plan, fused).Faults();
}

inline ImplMode KernelModeOf(const std::string& kernel) {
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      if (entry.name == kernel) {
        return entry.impl_mode;
      }
    }
  }
  return ImplMode::kDefault;
}

// The steps whose main node computes, by the name of this node.
inline std::map<std::string, StepInfo> StepsByNode(const Graph& graph, const PrecisionPlan& plan,
                                                   bool fuse) {
  CompileOptions options;
  options.fuse = fuse;
  std::map<std::string, StepInfo> steps;
  const Executable executable = Compile(graph, plan, options);
  for (const StepInfo& step : executable.steps()) {
    if (!step.parts.empty() && step.node_op == step.op) {
      steps.emplace(step.node, step);
    }
  }
  return steps;
}

// Checks kernels on this machine: if a node alone runs a high_precision kernel, the step that it is
// part of must not run a high_performance one. (Parts behind a main operator always run exact
// kernels.)
inline std::vector<std::string> FastKernelFaults(const Graph& graph, const PrecisionPlan& plan) {
  std::vector<std::string> faults;
  const auto alone = StepsByNode(graph, plan, false);
  for (const auto& [name, step] : StepsByNode(graph, plan, true)) {
    const OpInfo* info = FindOp(step.op);
    const bool has_main =
        info != nullptr && (info->Is(kCube) || info->kind == OpKind::kBatchNormalization);
    for (const std::string& part : step.parts) {
      const auto own = alone.find(part);
      const bool counts = step.parts.size() > 1 && (!has_main || part == step.node);
      if (counts && own != alone.end() &&
          KernelModeOf(own->second.kernel) == ImplMode::kHighPrecision &&
          KernelModeOf(step.kernel) == ImplMode::kHighPerformance) {
        faults.push_back(fmt::format("'{}' alone runs {}, in the step '{}' {}", part,
                                     own->second.kernel, name, step.kernel));
      }
    }
  }
  return faults;
}

}  // namespace halftone::testing
