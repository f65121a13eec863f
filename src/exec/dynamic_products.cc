#include "src/exec/dynamic_products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/exec/finite_constants.h"
#include "src/exec/given_weight_scales.h"
#include "src/exec/integer_task.h"
#include "src/ir/fused_operands.h"
#include "src/ir/transposed.h"

namespace halftone {
namespace {

constexpr std::size_t kWeights = 1;

// The weights as [K, N]; null: the node is no product that has such a step.
const Tensor* WeightsOf(const IntegerTask& task) {
  const Node& node = task.node;
  const Tensor* weights = task.Constant(kWeights);
  const bool is_gemm = node.op == OpKind::kGemm;
  if ((node.op != OpKind::kMatMul && !is_gemm) || weights == nullptr ||
      weights->shape().rank() != 2 || task.TypeOf(task.Input(0)).shape.rank() < 2 ||
      !node.fusion.b_perm.empty() || node.outputs.size() != 1) {
    return nullptr;
  }
  const Attributes& attributes = node.attributes;
  const bool is_plain =
      !is_gemm || (attributes.Int("transA", 0) == 0 && attributes.Float("alpha", 1) == 1.0F &&
                   attributes.Float("beta", 1) == 1.0F);
  return is_plain ? weights : nullptr;
}

bool IsTransposed(const Node& node) {
  return node.op == OpKind::kGemm && node.attributes.Int("transB", 0) != 0;
}

// Activation and residual, and nothing else that kernels do not have; empty: it has.
std::optional<Fusion> FusionOf(const Fusion& fusion) {
  Fusion kept{.activation = fusion.activation, .residual = fusion.residual};
  const bool slopes = fusion.activation && fusion.activation->op == OpKind::kPRelu;
  return kept == fusion && !slopes ? std::optional(kept) : std::nullopt;
}

// One number for each column: empty where the node has none; nothing where it is no constant of
// columns.
std::optional<std::vector<float>> BiasOf(const IntegerTask& task, std::int64_t columns) {
  const Tensor* bias = task.Constant(kBiasOperand);
  if (bias == nullptr) {
    return task.Input(kBiasOperand) == kNoValue ? std::optional(std::vector<float>())
                                                : std::nullopt;
  }
  const Shape& shape = bias->shape();
  if (shape.ElementCount() != 1 &&
      (shape.ElementCount() != columns || shape[shape.rank() - 1] != columns)) {
    return std::nullopt;
  }
  const Tensor floats = Convert(*bias, DType::kFloat32);
  const auto values = floats.values<float>();
  std::vector<float> numbers(values.begin(), values.end());
  numbers.resize(static_cast<std::size_t>(columns), numbers[0]);
  return numbers;
}

// Scales that the quantisation gives for the weights; empty: none, or not for those in the network,
// or with zero points, which these kernels do not have.
std::optional<WeightScales> GivenScales(const IntegerTask& task) {
  auto given = GivenWeightScales(task.graph, task.Input(kWeights), IsTransposed(task.node) ? 0 : 1,
                                 task.quantization);
  return !given || !given->zero_points.empty() || task.FactorsOfValue(task.Input(0)) != nullptr
             ? std::nullopt
             : std::move(given);
}

std::optional<IntegerStep> StepFor(const IntegerTask& task) {
  const Tensor* weights = WeightsOf(task);
  const auto fusion = FusionOf(task.node.fusion);
  if (weights == nullptr || !fusion) {
    return std::nullopt;
  }
  const std::int64_t columns = weights->shape()[IsTransposed(task.node) ? 0 : 1];
  const auto bias = BiasOf(task, columns);
  const bool has_residual = fusion->residual != ResidualPlace::kNone;
  if (columns < kLeastDynamicColumns || !bias || task.precision.outputs.at(0) != DType::kFloat32 ||
      has_residual != (task.Input(kResidualOperand) != kNoValue)) {
    return std::nullopt;
  }
  const auto given = GivenScales(task);
  const QuantizedWeights quantized =
      QuantizeWeights({.weights = IsTransposed(task.node) ? Transposed(*weights) : *weights,
                       .channel_axis = 1,
                       .per_channel = task.quantization.per_channel_weights,
                       .given = given ? &*given : nullptr});
  std::vector<float> scales = quantized.scales;
  scales.resize(static_cast<std::size_t>(columns), scales[0]);
  IntegerStep step{.op = OpKind::kDynamicMatMul, .attributes = {}, .fusion = *fusion, .inputs = {}};
  step.inputs.emplace_back(IntegerValue{task.Input(0), DType::kFloat32});
  step.inputs.emplace_back(task.Held(quantized.integers));
  step.inputs.emplace_back(task.Held(Tensor::From<float>(Shape{columns}, scales)));
  if (!bias->empty()) {
    step.inputs.emplace_back(task.Held(Tensor::From<float>(Shape{columns}, *bias)));
  }
  if (has_residual) {
    step.inputs.resize(kDynamicResidualOperand);  // an absent bias
    step.inputs.emplace_back(IntegerValue{task.Input(kResidualOperand), DType::kFloat32});
  }
  return step;
}

}  // namespace

std::optional<IntegerStep> DynamicStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization* quantization,
                                         SharedConstants& constants) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue || !precision.inputs.at(0).is_dynamic() ||
      precision.engine != Engine::kAiCore || !HasFiniteConstants(graph, node)) {
    return std::nullopt;
  }
  const Quantization none;
  return StepFor(
      {graph, node, precision, quantization == nullptr ? none : *quantization, constants});
}

bool HasDynamicProductsAlone(const Graph& graph, const PrecisionPlan& plan) {
  SharedConstants constants;
  const Quantization* quantization = plan.quantization ? &*plan.quantization : nullptr;
  bool has_any = false;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!plan.nodes[n].reads_dynamic()) {
      continue;
    }
    if (!DynamicStepOf(graph, graph.nodes[n], plan.nodes[n], quantization, constants)) {
      return false;
    }
    has_any = true;
  }
  return has_any;
}

}  // namespace halftone
