#include "src/onnx/contrib.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "src/base/error.h"
#include "src/onnx/node_parts.h"
#include "src/onnx/reader.h"

namespace halftone {
namespace {

// A node that ai.onnx has too, with the attributes and operands of that.
void KeepAsItIs(FileNode& /*node*/, GraphBuilder& /*builder*/) {}

// GridSample of ai.onnx at opset 16.
void KeepAsOldGridSample(FileNode& node, GraphBuilder& /*builder*/) {
  node.opset = 16;
}

struct ContribRow {
  std::string_view type;
  void (*expand)(FileNode&, GraphBuilder&);
};

// docs/reference/models.md lists these rows.
constexpr ContribRow kContrib[] = {
    {"Attention", ExpandContribAttention},
    {"BiasGelu", ExpandBiasGelu},
    {"DequantizeLinear", KeepAsItIs},
    {"DynamicQuantizeLSTM", ExpandDynamicQuantizeLstm},
    {"DynamicQuantizeMatMul", ExpandDynamicQuantizeMatMul},
    {"EmbedLayerNormalization", ExpandEmbedLayerNormalization},
    {"FastGelu", ExpandFastGelu},
    {"FusedConv", ExpandFusedConv},
    {"FusedGemm", ExpandFusedGemm},
    {"FusedMatMul", ExpandFusedMatMul},
    {"Gelu", KeepAsItIs},
    {"GridSample", KeepAsOldGridSample},
    {"MatMulIntegerToFloat", ExpandMatMulIntegerToFloat},
    {"MatMulNBits", ExpandMatMulNBits},
    {"MultiHeadAttention", ExpandMultiHeadAttention},
    {"QGemm", ExpandQGemm},
    {"QLinearAdd", ExpandQLinearBinary},
    {"QLinearAveragePool", ExpandQLinearUnary},
    {"QLinearConcat", ExpandQLinearConcat},
    {"QLinearGlobalAveragePool", ExpandQLinearUnary},
    {"QLinearLeakyRelu", ExpandQLinearUnary},
    {"QLinearMul", ExpandQLinearBinary},
    {"QLinearSigmoid", ExpandQLinearUnary},
    {"QLinearSoftmax", ExpandQLinearUnary},
    {"QuantizeLinear", KeepAsItIs},
    {"QuickGelu", ExpandQuickGelu},
    {"RotaryEmbedding", ExpandContribRotaryEmbedding},
    {"SimplifiedLayerNormalization", ExpandSimplifiedLayerNormalization},
    {"SkipLayerNormalization", ExpandSkipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", ExpandSkipRmsNormalization},
    {"TransposeMatMul", ExpandFusedMatMul},
    {"Trilu", KeepAsItIs},
};

const ContribRow* FindContrib(std::string_view type) {
  for (const ContribRow& row : kContrib) {
    if (row.type == type) {
      return &row;
    }
  }
  return nullptr;
}

// Parameter `index` of an activation that FusedConv and FusedGemm name.
struct Activation {
  std::string name;
  std::vector<float> parameters;

  [[nodiscard]] float Parameter(std::size_t index, float fallback) const {
    return index < parameters.size() ? parameters[index] : fallback;
  }
};

// The node becomes `activation` of x; Identity without one.
void BecomeActivation(FileNode& node, NodeParts& parts, const Activation& activation, ValueId x) {
  node.attributes = {};
  const std::string& name = activation.name;
  if (name.empty()) {
    parts.Become("Identity", {x});
  } else if (name == "Relu" || name == "Sigmoid" || name == "Tanh") {
    parts.Become(name, {x});
  } else if (name == "LeakyRelu") {
    node.attributes.Set("alpha", activation.Parameter(0, 0.01F));
    parts.Become(name, {x});
  } else if (name == "HardSigmoid") {
    node.attributes.Set("alpha", activation.Parameter(0, 0.2F));
    node.attributes.Set("beta", activation.Parameter(1, 0.5F));
    parts.Become(name, {x});
  } else if (name == "Clip") {
    const DType dtype = parts.TypeOf(x).dtype;
    const float infinity = std::numeric_limits<float>::infinity();
    parts.Become(name, {x, parts.Scalar(dtype, activation.Parameter(0, -infinity)),
                        parts.Scalar(dtype, activation.Parameter(1, infinity))});
  } else {
    ThrowUnsupported(
        fmt::format("attribute 'activation': '{}' is not supported; Relu, Sigmoid, Tanh, "
                    "LeakyRelu, HardSigmoid and Clip are",
                    name));
  }
}

// x with its last two axes exchanged when `transposed`.
ValueId MatrixOf(NodeParts& parts, ValueId x, bool transposed) {
  const int rank = parts.TypeOf(x).shape.rank();
  if (!transposed || rank < 2) {
    return x;
  }
  std::vector<std::int64_t> perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), std::int64_t{0});
  std::swap(perm.end()[-1], perm.end()[-2]);
  Attributes attributes;
  attributes.Set("perm", perm);
  return parts.Add(OpKind::kTranspose, {x}, std::move(attributes));
}

// Input + skip + bias, which is also output 3.
ValueId SkipSum(FileNode& node, NodeParts& parts, ValueId bias) {
  const ValueId sum = parts.AddTo(parts.Add(OpKind::kAdd, {parts.Input(0), parts.Input(1)}), bias);
  node.made_outputs = {kNoValue, kNoValue, kNoValue, sum};
  node.output_count = 1;
  return sum;
}

void SetEpsilon(FileNode& node, NodeParts& parts, float fallback) {
  node.attributes.Set("epsilon", parts.TakeFloat("epsilon", fallback));
}

}  // namespace

bool IsContribDomain(std::string_view domain) {
  return domain == "com.microsoft";
}

bool IsContribOperator(std::string_view type) {
  return FindContrib(type) != nullptr;
}

void ExpandContrib(FileNode& node, GraphBuilder& builder) {
  const ContribRow* row = FindContrib(node.type);
  Check(row != nullptr, "an operator of com.microsoft has no row in src/onnx/contrib.cc");
  node.opset = kNewestOpset;
  row->expand(node, builder);
}

void ExpandBiasGelu(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  parts.Become("Gelu", {parts.AddTo(parts.Input(0), parts.Input(1))});
}

void ExpandFastGelu(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  node.attributes.Set("approximate", std::string("tanh"));
  parts.Become("Gelu", {parts.AddTo(parts.Input(0), parts.Optional(1))});
}

void ExpandQuickGelu(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  node.attributes.Set("alpha", parts.TakeFloat("alpha", 1.702F));
  parts.Become("Swish", {parts.Input(0)});
}

void ExpandFusedConv(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  Activation activation{.name = parts.TakeText("activation", ""),
                        .parameters = node.attributes.Floats("activation_params")};
  node.attributes.Erase("activation_params");
  std::vector<ValueId> inputs = {parts.Input(0), parts.Input(1)};
  if (parts.Optional(2) != kNoValue) {
    inputs.push_back(parts.Optional(2));
  }
  const ValueId conv = parts.Add(OpKind::kConv, std::move(inputs), node.attributes);
  BecomeActivation(node, parts, activation, parts.AddTo(conv, parts.Optional(3)));
}

void ExpandFusedGemm(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  Activation activation{.name = parts.TakeText("activation", ""), .parameters = {}};
  for (const std::string_view name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (node.attributes.Has(name)) {
      activation.parameters.push_back(parts.TakeFloat(name, 0));
    }
  }
  std::vector<ValueId> inputs = {parts.Input(0), parts.Input(1)};
  if (parts.Optional(2) != kNoValue) {
    inputs.push_back(parts.Optional(2));
  }
  const ValueId gemm = parts.Add(OpKind::kGemm, std::move(inputs), node.attributes);
  BecomeActivation(node, parts, activation, gemm);
}

void ExpandFusedMatMul(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  if (parts.TakeInt("transBatchA", 0) != 0 || parts.TakeInt("transBatchB", 0) != 0) {
    ThrowUnsupported(
        "attributes 'transBatchA' and 'transBatchB': other values than 0 are not "
        "supported");
  }
  const float alpha = parts.TakeFloat("alpha", 1);
  const ValueId a = MatrixOf(parts, parts.Input(0), parts.TakeInt("transA", 0) != 0);
  const ValueId b = MatrixOf(parts, parts.Input(1), parts.TakeInt("transB", 0) != 0);
  if (alpha == 1) {
    parts.Become("MatMul", {a, b});
    return;
  }
  const ValueId product = parts.Add(OpKind::kMatMul, {a, b});
  parts.Become("Mul", {product, parts.Scalar(parts.TypeOf(product).dtype, alpha)});
}

void ExpandSkipLayerNormalization(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  SetEpsilon(node, parts, 1e-12F);
  const ValueId sum = SkipSum(node, parts, parts.Optional(4));
  std::vector<ValueId> inputs = {sum, parts.Input(2)};
  if (parts.Optional(3) != kNoValue) {
    inputs.push_back(parts.Optional(3));
  }
  parts.Become("LayerNormalization", std::move(inputs));
}

void ExpandSkipRmsNormalization(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  SetEpsilon(node, parts, 1e-12F);
  const ValueId sum = SkipSum(node, parts, parts.Optional(3));
  parts.Become("RMSNormalization", {sum, parts.Input(2)});
}

void ExpandSimplifiedLayerNormalization(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  RequireOneOutput(node, "statistics");
  SetEpsilon(node, parts, 1e-5F);
  parts.Become("RMSNormalization", {parts.Input(0), parts.Input(1)});
}

}  // namespace halftone
