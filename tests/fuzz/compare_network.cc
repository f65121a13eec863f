#include "tests/fuzz/compare_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/fuzz/fuzz.h"
#include "tests/support/node_in_double.h"

namespace halftone::testing {
namespace {

double LargestFinite(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  return largest;
}

// Element functions are within 16 units in the last place of their result or, where terms cancel,
// of their operands: the bound of tests/exec/any_plan_test.cc for one term.
double ErrorOf(const Node& node, const std::vector<Tensor>& operands, double want) {
  if (InfoOf(node.op).Is(kMovesData)) {
    return 0;
  }
  double scale = std::abs(want);
  for (const Tensor& operand : operands) {
    scale =
        IsFloating(operand.dtype()) ? std::max(scale, LargestFinite(DoublesOf(operand))) : scale;
  }
  return 16 * 0x1.0p-23 * scale;
}

// A factor that is 0, infinite or NaN may leave a formula (Celu: x / alpha) without a result.
bool HasSensibleFactors(const Attributes& attributes) {
  const auto& values = attributes.values();
  return std::all_of(values.begin(), values.end(), [](const auto& item) {
    const auto* number = std::get_if<float>(&item.second);
    return number == nullptr || (std::isfinite(*number) && *number != 0);
  });
}

bool IsCompared(const Node& node, const Tensor& exact) {
  const OpInfo& info = InfoOf(node.op);
  if (info.Is(kQuantized) || !HasSensibleFactors(node.attributes)) {
    return false;
  }
  return info.Is(kMovesData) || !IsFloating(exact.dtype()) || info.Is(kElementwise);
}

double Rounded(double value, DType dtype) {
  alignas(8) std::byte bytes[8];
  StoreDouble(dtype, bytes, 0, value);
  return DoubleAt(dtype, bytes, 0);
}

void RequireNear(const Node& node, const std::vector<Tensor>& operands, const Tensor& exact,
                 const Tensor& got) {
  const bool floats = IsFloating(got.dtype());
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    if (!floats) {
      const std::int64_t want = IntegerAt(exact.dtype(), exact.data(), i);
      const std::int64_t found = IntegerAt(got.dtype(), got.data(), i);
      Require(want == found, fmt::format("{}: element {} is {}, its reference gives {}",
                                         Describe(node), i, found, want));
      continue;
    }
    const double want = DoubleAt(exact.dtype(), exact.data(), i);
    const double found = DoubleAt(got.dtype(), got.data(), i);
    const double error = ErrorOf(node, operands, want);
    const bool near = std::isnan(want) ? std::isnan(found)
                      : want == found  ? true
                                       : Rounded(want - error, got.dtype()) <= found &&
                                            found <= Rounded(want + error, got.dtype());
    Require(near, fmt::format("{}: element {} is {}, its reference gives {} +- {}", Describe(node),
                              i, found, want, error));
  }
}

}  // namespace

std::int64_t CompareWithReferences(Graph graph, const std::vector<Tensor>& sample,
                                   const CompileOptions& options) {
  graph.outputs.clear();
  for (const Node& node : graph.nodes) {
    graph.outputs.insert(graph.outputs.end(), node.outputs.begin(), node.outputs.end());
  }
  PrecisionPlan plan = ReferencePlan(graph);
  for (const NodePrecision& node : plan.nodes) {  // as they were made, not as the model has them
    const std::vector<DType> made = DTypesOf(node.outputs);
    plan.graph_outputs.insert(plan.graph_outputs.end(), made.begin(), made.end());
  }
  const Executable executable = Compile(graph, plan, options);
  const std::vector<Tensor> inputs = executable.ConvertInputs(sample);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  executable.Run(workspace, inputs, outputs);
  if (!executable.OtherCount(workspace).empty()) {
    return 0;
  }
  std::map<ValueId, Tensor> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[graph.inputs[i]] = inputs[i];
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    values[graph.outputs[i]] = outputs[i];
  }
  std::int64_t compared = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    std::vector<Tensor> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      operands.push_back(
          id == kNoValue
              ? Tensor(DType::kFloat32, Shape{0})
              : Convert(graph.value(id).constant ? *graph.value(id).constant : values.at(id),
                        plan.nodes[n].inputs[i]));
    }
    const std::vector<Tensor> exact = InDouble(graph, node, operands);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (IsCompared(node, exact[i])) {
        RequireNear(node, operands, exact[i], values.at(node.outputs[i]));
        ++compared;
      }
    }
  }
  return compared;
}

}  // namespace halftone::testing
