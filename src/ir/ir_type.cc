// Source: the indicative table of the CANN ONNX parser documentation ("ONNX operator support"), as
// copied into the project's specification, and the tensor lists of the public IR definitions. Rows
// with a condition stand before the row without.
#include "src/ir/ir_type.h"

#include <algorithm>

namespace halftone {
namespace {

// The rank of an operand, or -1 where it is left out.
int RankOf(const Graph& graph, const Node& node, std::size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNoValue
             ? graph.value(node.inputs[input]).type.shape.rank()
             : -1;
}

bool IsDepthwise(const Graph& graph, const Node& node) {
  const Shape& input = graph.value(node.inputs[0]).type.shape;
  const std::int64_t group = node.attributes.Int("group", 1);
  return input.rank() == 4 && group > 1 && group == input[1] &&
         graph.value(node.inputs[1]).type.shape[0] == group;
}

bool IsThreeDimensional(const Graph& graph, const Node& node) {
  return RankOf(graph, node, 0) == 5;
}

bool IsMatrix(const Graph& graph, const Node& node) {
  return RankOf(graph, node, 0) == 2 && RankOf(graph, node, 1) == 2;
}

bool IsImageNearest(const Graph& graph, const Node& node) {
  return RankOf(graph, node, 0) == 4 && node.attributes.Text("mode", "nearest") == "nearest";
}

bool IsImageLinear(const Graph& graph, const Node& node) {
  return RankOf(graph, node, 0) == 4 && node.attributes.Text("mode", "nearest") == "linear";
}

bool AddsUpdates(const Graph& /*graph*/, const Node& node) {
  return node.attributes.Text("reduction", "none") == "add";
}

bool HasScalePerAxis(const Graph& graph, const Node& node) {
  return RankOf(graph, node, 1) > 0 && graph.value(node.inputs[1]).type.shape.ElementCount() > 1;
}

bool HasCountAttribute(const Graph& /*graph*/, const Node& node) {
  return node.attributes.Has("k");
}

bool ShiftsLeft(const Graph& /*graph*/, const Node& node) {
  return node.attributes.Text("direction", "") == "LEFT";
}

bool IsLower(const Graph& /*graph*/, const Node& node) {
  return node.attributes.Int("upper", 1) == 0;
}

struct IrTypeRow {
  std::string_view onnx_type;
  std::string_view ir_type;
  bool (*condition)(const Graph&, const Node&) = nullptr;
};

constexpr IrTypeRow kIrTypes[] = {
    // Matrix operators.
    {"Conv", "DepthwiseConv2D", IsDepthwise},
    {"Conv", "Conv3D", IsThreeDimensional},
    {"Conv", "Conv2D"},
    {"ConvTranspose", "Conv3DTranspose", IsThreeDimensional},
    {"ConvTranspose", "Conv2DTranspose"},
    {"Gemm", "MatMulV2"},
    {"MatMul", "MatMulV2", IsMatrix},
    {"MatMul", "BatchMatMulV2"},
    {"LSTM", "DynamicRNN"},
    {"GRU", "DynamicGRUV2"},
    {"RNN", "BasicRNN"},
    // Element-wise.
    {"Celu", "CeluV2"},
    {"Clip", "ClipByValue"},
    {"Div", "RealDiv"},
    {"Max", "Maximum"},
    {"Min", "Minimum"},
    {"Sum", "AddN"},
    {"PRelu", "PRelu"},
    {"Where", "Select"},
    {"Not", "LogicalNot"},
    {"And", "LogicalAnd"},
    {"Or", "LogicalOr"},
    {"Xor", "LogicalXor"},
    {"GreaterOrEqual", "GreaterEqual"},
    {"LessOrEqual", "LessEqual"},
    {"IsInf", "IsInf"},
    {"IsNaN", "IsNan"},
    {"BitShift", "LeftShift", ShiftsLeft},
    {"BitShift", "RightShift"},
    {"BitwiseNot", "Invert"},
    // Pooling, normalisation, sums.
    {"MaxPool", "MaxPool3D", IsThreeDimensional},
    {"MaxPool", "MaxPoolV3"},
    {"AveragePool", "AvgPool3D", IsThreeDimensional},
    {"AveragePool", "AvgPoolV2"},
    {"BatchNormalization", "BNInference"},
    {"GroupNormalization", "GroupNorm"},
    {"InstanceNormalization", "InstanceNorm"},
    {"LayerNormalization", "LayerNorm"},
    {"MeanVarianceNormalization", "MVNV2"},
    {"RMSNormalization", "RmsNorm"},
    {"Softmax", "SoftmaxV2"},
    {"LogSoftmax", "LogSoftmaxV2"},
    {"Hardmax", "HardMax"},
    {"ArgMax", "ArgMaxV2"},
    {"CumSum", "Cumsum"},
    // Data movement.
    {"Concat", "ConcatV2"},
    {"Constant", "Const"},
    {"ConstantOfShape", "Fill"},
    {"Dropout", "Identity"},
    {"Flatten", "FlattenV2"},
    {"Gather", "GatherV2"},
    {"GatherND", "GatherNd"},
    {"NonMaxSuppression", "NonMaxSuppressionV6"},
    {"Pad", "PadV3"},
    {"Resize", "ResizeNearestNeighborV2", IsImageNearest},
    {"Resize", "ResizeBilinearV2", IsImageLinear},
    {"Resize", "Resize"},
    {"RoiAlign", "ROIAlign"},
    {"ScatterND", "TensorScatterAdd", AddsUpdates},
    {"ScatterND", "TensorScatterUpdate"},
    {"Slice", "StridedSliceV2"},
    {"Split", "SplitV"},
    {"TopK", "TopKD", HasCountAttribute},
    {"TopK", "TopKV2"},
    {"Trilu", "Tril", IsLower},
    {"Trilu", "Triu"},
    // Quantisation.
    {"QuantizeLinear", "Quantize", HasScalePerAxis},
    {"QuantizeLinear", "AscendQuant"},
    {"DequantizeLinear", "AscendDequant"},
    {"DynamicQuantizeLinear", "DynamicQuant"},
};

constexpr int kNoTensor = -1;
constexpr std::size_t kMostOperands = 8;

// IR types whose tensors stand in another order than the operands of the ONNX node.
struct IrInputRow {
  std::string_view ir_type;
  std::size_t count;            // operands behind these have no tensor
  int inputs[kMostOperands];    // by ONNX operand
  std::string_view ir_tensors;  // for the reader
};

constexpr IrInputRow kIrInputs[] = {
    // ONNX: X, scale, B, mean, var
    {"BNInference", 5, {0, 4, 5, 1, 2}, "x, mean, variance, momentum, scale, offset"},
    // ONNX: X, W, B
    {"Conv2DTranspose", 3, {1, 2, 3}, "input_size, x, filter, bias, offset_w"},
    {"Conv3DTranspose", 3, {1, 2, 3}, "input_size, x, filter, bias, offset_w"},
    // ONNX: X, W, R, B, sequence_lens, initial_h, initial_c, P; W and R are one tensor there
    {"DynamicRNN", 7, {0, 1, 1, 2, 3, 4, 5}, "x, w, b, seq_length, init_h, init_c, ..."},
    {"DynamicGRUV2",
     6,
     {0, 1, 2, 3, 5, 6},
     "x, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, init_h"},
    // ONNX: X, roi, scales, sizes
    {"ResizeNearestNeighborV2", 4, {0, kNoTensor, kNoTensor, 1}, "x, size"},
    {"ResizeBilinearV2", 4, {0, kNoTensor, kNoTensor, 1}, "x, size"},
    // ONNX: data, shape-like operands that are attributes there
    {"AscendQuant", 1, {0}, "x; scale and offset are attributes"},
    {"TopKD", 1, {0}, "x, assist_seq; k is an attribute"},
    {"Tril", 1, {0}, "x; diagonal is an attribute"},
    {"Triu", 1, {0}, "x; diagonal is an attribute"},
    // ONNX: data, pads, constant_value, axes
    {"PadV3", 3, {0, 1, 2}, "x, paddings, constant_values"},
};

using Rows = std::vector<const IrTypeRow*>;

Rows RowsOfName(std::string_view onnx_type) {
  Rows rows;
  for (const IrTypeRow& row : kIrTypes) {
    if (row.onnx_type == onnx_type) {
      rows.push_back(&row);
    }
  }
  return rows;
}

// Rows by OpKind: a look-up of a node must not search the table.
const Rows& RowsOf(OpKind kind) {
  static const std::vector<Rows> kByKind = [] {
    std::vector<Rows> all;
    for (const OpInfo& info : AllOps()) {
      const auto index = static_cast<std::size_t>(info.kind);
      all.resize(std::max(all.size(), index + 1));
      all[index] = RowsOfName(info.name);
    }
    return all;
  }();
  return kByKind.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::string_view IrTypeOf(const Graph& graph, const Node& node) {
  for (const IrTypeRow* row : RowsOf(node.op)) {
    if (row->condition == nullptr || row->condition(graph, node)) {
      return row->ir_type;
    }
  }
  return InfoOf(node.op).name;
}

std::string_view IrTypeOfName(std::string_view onnx_type) {
  const Rows rows = RowsOfName(onnx_type);
  return rows.empty() ? onnx_type : rows.back()->ir_type;
}

std::vector<std::string_view> IrTypesOf(OpKind kind) {
  std::vector<std::string_view> types;
  for (const IrTypeRow* row : RowsOf(kind)) {
    types.push_back(row->ir_type);
  }
  if (types.empty()) {
    types.push_back(InfoOf(kind).name);
  }
  return types;
}

std::optional<std::size_t> IrInputOf(std::string_view ir_type, std::size_t operand) {
  for (const IrInputRow& row : kIrInputs) {
    if (row.ir_type == ir_type) {
      const int input = operand < row.count ? row.inputs[operand] : kNoTensor;
      return input == kNoTensor ? std::nullopt : std::optional(static_cast<std::size_t>(input));
    }
  }
  return operand;
}

std::string_view OnnxKindOf(const Node& node) {
  return node.origins.empty() ? InfoOf(node.op).name : std::string_view(node.origins[0].type);
}

std::string_view FirstOutputName(const Graph& graph, const Node& node) {
  return FirstOutputNames(graph, node).front();
}

std::vector<std::string_view> FirstOutputNames(const Graph& graph, const Node& node) {
  std::vector<std::string_view> names;
  for (const Origin& origin : node.origins) {
    if (!origin.output.empty()) {
      names.emplace_back(origin.output);
    }
  }
  if (names.empty()) {
    names.emplace_back(graph.value(node.outputs.at(0)).name);
  }
  return names;
}

}  // namespace halftone
