#include "search/calibrate/int8_plan.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "search/space/network_steps.h"
#include "search/space/subgraph.h"
#include "search/space/tunable_node.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/ir/op_table.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

class Int8Planner {
 public:
  Int8Planner(const Graph& graph, const SharedQuantization& quantization)
      : graph_(graph), steps_(StepsOf(graph)), step_graph_(StepGraph(graph, steps_)) {
    plan_ = ReferencePlan(graph);
    plan_.quantization = quantization;
  }

  PrecisionPlan Run(bool float_ends) {
    for (std::size_t step = 0; step < steps_.nodes.size(); ++step) {
      const bool is_output = std::ranges::any_of(step_graph_.nodes[step].outputs, [&](ValueId id) {
        return std::ranges::find(graph_.outputs, id) != graph_.outputs.end();
      });
      if (!is_output || !Try(step, "qint8 to float32")) {
        Try(step, "qint8");
      }
    }
    if (float_ends) {
      EndInFloat32();
    }
    if (std::ranges::none_of(plan_.nodes, UsesScales)) {
      plan_.quantization = {};
    }
    return std::move(plan_);
  }

 private:
  void EndInFloat32() {
    const PrecisionPlan reference = ReferencePlan(graph_);
    const std::vector<std::vector<NodeId>> readers = ConsumersOf(step_graph_);
    for (std::size_t step = steps_.nodes.size(); step-- > 0;) {
      const std::vector<ValueId>& results = step_graph_.nodes[step].outputs;
      const auto is_read = [&](ValueId value) {
        return std::ranges::any_of(readers[Index(value)], [&](NodeId reader) {
          return ReadsScaled(Index(reader), value);
        });
      };
      if (std::ranges::none_of(results, [&](ValueId value) { return is_int8_[Index(value)]; }) ||
          std::ranges::any_of(results, is_read)) {
        continue;
      }
      ToFloat32(step, reference);
      TryProduct(step);
    }
  }

  // Tries the product of a step in 8 bits, with the nodes that are fused behind it in float32.
  void TryProduct(std::size_t step) {
    const PrecisionPlan before = plan_;
    for (const NodeId id : steps_.nodes[step]) {
      const Node& node = graph_.node(id);
      if (IsTunableComputation(graph_, node) &&
          InfoOf(node.op).outputs.find('Y') != std::string_view::npos) {
        ApplyFormat(graph_, node, "qint8 to float32", plan_.nodes[Index(id)]);
      }
    }
    if (!RunsOnIntegers(step)) {
      plan_ = before;
    }
  }

  void ToFloat32(std::size_t step, const PrecisionPlan& reference) {
    for (const NodeId id : steps_.nodes[step]) {
      plan_.nodes[Index(id)] = reference.node(id);
      for (const ValueId value : graph_.node(id).outputs) {
        if (value != kNoValue) {
          is_int8_[Index(value)] = false;
        }
      }
    }
  }

  [[nodiscard]] bool ReadsScaled(std::size_t step, ValueId value) const {
    return std::ranges::any_of(steps_.nodes[step], [&](NodeId id) {
      const std::vector<ValueId>& inputs = graph_.node(id).inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == value && plan_.node(id).inputs[i].is_scaled()) {
          return true;
        }
      }
      return false;
    });
  }

  [[nodiscard]] bool Follows(const Node& node) const {
    const OpInfo& info = InfoOf(node.op);
    return (info.Is(kMovesData) || info.Is(kIsView)) && !node.inputs.empty() &&
           node.inputs[0] != kNoValue && is_int8_[Index(node.inputs[0])];
  }

  // False, and nothing is changed: some part would not run on integers.
  bool Try(std::size_t step, std::string_view format) {
    const PrecisionPlan before = plan_;
    for (const NodeId id : steps_.nodes[step]) {
      const Node& node = graph_.node(id);
      if (IsTunableComputation(graph_, node) || Follows(node)) {
        ApplyFormat(graph_, node, format, plan_.nodes[Index(id)]);
      }
    }
    if (!RunsOnIntegers(step)) {
      plan_ = before;
      return false;
    }
    for (const NodeId id : steps_.nodes[step]) {
      for (std::size_t i = 0; i < graph_.node(id).outputs.size(); ++i) {
        if (const ValueId value = graph_.node(id).outputs[i]; value != kNoValue) {
          is_int8_[Index(value)] = plan_.node(id).outputs[i].is_scaled();
        }
      }
    }
    return true;
  }

  [[nodiscard]] bool RunsOnIntegers(std::size_t step) const {
    bool is_scaled = false;
    for (const NodeId id : steps_.nodes[step]) {
      is_scaled = is_scaled || UsesScales(plan_.node(id));
    }
    if (!is_scaled) {
      return false;
    }
    const Subgraph part =
        Expanded(graph_, steps_, PartOf(step_graph_, std::vector{static_cast<NodeId>(step)}));
    const FusedNetwork fused = FuseByPlan(part.graph, PlanOf(part, plan_), nullptr);
    SharedConstants constants;
    for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
      const Node& node = fused.graph.nodes[n];
      const NodePrecision& precision = fused.plan.nodes[n];
      if (!HaveScales(fused.graph, node.inputs, precision.inputs) ||
          !HaveScales(fused.graph, node.outputs, precision.outputs)) {
        return false;
      }
      if (!InfoOf(node.op).Is(kIsView) &&
          !IntegerStepOf(fused.graph, node, precision, *plan_.quantization, constants)) {
        return false;
      }
    }
    return true;
  }

  // Every value that is in a scaled format.
  [[nodiscard]] bool HaveScales(const Graph& graph, const std::vector<ValueId>& values,
                                const std::vector<NumericFormat>& formats) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != kNoValue && formats[i].is_scaled() && !graph.value(values[i]).constant &&
          !plan_.quantization->activations.contains(graph.value(values[i]).name)) {
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  NetworkSteps steps_;
  Graph step_graph_;
  PrecisionPlan plan_;
  std::vector<bool> is_int8_ = std::vector<bool>(graph_.values.size());
};

}  // namespace

PrecisionPlan Int8Plan(const Graph& graph, const SharedQuantization& quantization) {
  return Int8Planner(graph, quantization).Run(false);
}

PrecisionPlan Int8PlanWithFloatEnds(const Graph& graph, const SharedQuantization& quantization) {
  return Int8Planner(graph, quantization).Run(true);
}

}  // namespace halftone
