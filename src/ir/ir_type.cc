// Source: the indicative table of the CANN ONNX parser documentation ("ONNX operator support"),
// as kept in the project's specification; rows with a condition stand before the row without.
#include "src/ir/ir_type.h"

#include <algorithm>

namespace halftone {
namespace {

int RankOf(const Graph& graph, const Node& node, std::size_t input) {
  return graph.value(node.inputs[input]).type.shape.rank();
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

struct IrTypeRow {
  OpKind kind;
  std::string_view ir_type;
  bool (*condition)(const Graph&, const Node&) = nullptr;
};

constexpr IrTypeRow kIrTypes[] = {
    {OpKind::kConv, "DepthwiseConv2D", IsDepthwise},
    {OpKind::kConv, "Conv3D", IsThreeDimensional},
    {OpKind::kConv, "Conv2D"},
    {OpKind::kGemm, "MatMulV2"},
    {OpKind::kMatMul, "MatMulV2", IsMatrix},
    {OpKind::kMatMul, "BatchMatMulV2"},
    {OpKind::kDiv, "RealDiv"},
    {OpKind::kSoftmax, "SoftmaxV2"},
    {OpKind::kLogSoftmax, "LogSoftmaxV2"},
    {OpKind::kBatchNormalization, "BNInference"},
    {OpKind::kLayerNormalization, "LayerNorm"},
    {OpKind::kInstanceNormalization, "InstanceNorm"},
    {OpKind::kMaxPool, "MaxPoolV3"},
    {OpKind::kAveragePool, "AvgPoolV2"},
    {OpKind::kGlobalMaxPool, "GlobalMaxPool"},
    {OpKind::kMax, "Maximum"},
    {OpKind::kMin, "Minimum"},
    {OpKind::kPRelu, "PRelu"},
    {OpKind::kGather, "GatherV2"},
    {OpKind::kConcat, "ConcatV2"},
    {OpKind::kSplit, "SplitV"},
    {OpKind::kSlice, "StridedSliceV2"},
    {OpKind::kFlatten, "FlattenV2"},
    {OpKind::kClip, "ClipByValue"},
    {OpKind::kPad, "PadV3"},
    {OpKind::kWhere, "Select"},
    {OpKind::kArgMax, "ArgMaxV2"},
    {OpKind::kNot, "LogicalNot"},
    {OpKind::kAnd, "LogicalAnd"},
    {OpKind::kOr, "LogicalOr"},
    {OpKind::kXor, "LogicalXor"},
    {OpKind::kGreaterOrEqual, "GreaterEqual"},
    {OpKind::kLessOrEqual, "LessEqual"},
};

}  // namespace

std::string_view IrTypeOf(const Graph& graph, const Node& node) {
  for (const IrTypeRow& row : kIrTypes) {
    if (row.kind == node.op && (row.condition == nullptr || row.condition(graph, node))) {
      return row.ir_type;
    }
  }
  return InfoOf(node.op).name;
}

std::string_view IrTypeOfName(std::string_view onnx_type) {
  const OpInfo* info = FindOp(onnx_type);
  if (info == nullptr) {
    return onnx_type;
  }
  for (const IrTypeRow& row : kIrTypes) {
    if (row.kind == info->kind && row.condition == nullptr) {
      return row.ir_type;
    }
  }
  return info->name;
}

std::vector<std::string_view> IrTypesOf(OpKind kind) {
  std::vector<std::string_view> types;
  for (const IrTypeRow& row : kIrTypes) {
    if (row.kind == kind && std::find(types.begin(), types.end(), row.ir_type) == types.end()) {
      types.push_back(row.ir_type);
    }
  }
  if (types.empty()) {
    types.push_back(InfoOf(kind).name);
  }
  return types;
}

}  // namespace halftone
