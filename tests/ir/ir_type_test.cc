#include "src/ir/ir_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;

struct NameRow {
  const char* onnx;
  std::vector<std::string_view> ir;  // with conditions first; the last one holds without
};

// Every ONNX type whose IR type has another name or depends on the node.
const NameRow kNames[] = {
    {"And", {"LogicalAnd"}},
    {"ArgMax", {"ArgMaxV2"}},
    {"AveragePool", {"AvgPool3D", "AvgPoolV2"}},
    {"BatchNormalization", {"BNInference"}},
    {"BitShift", {"LeftShift", "RightShift"}},
    {"BitwiseNot", {"Invert"}},
    {"Celu", {"CeluV2"}},
    {"Clip", {"ClipByValue"}},
    {"Concat", {"ConcatV2"}},
    {"Constant", {"Const"}},
    {"ConstantOfShape", {"Fill"}},
    {"Conv", {"DepthwiseConv2D", "Conv3D", "Conv2D"}},
    {"ConvTranspose", {"Conv3DTranspose", "Conv2DTranspose"}},
    {"CumSum", {"Cumsum"}},
    {"DequantizeLinear", {"AscendDequant"}},
    {"Div", {"RealDiv"}},
    {"Dropout", {"Identity"}},
    {"DynamicQuantizeLinear", {"DynamicQuant"}},
    {"Flatten", {"FlattenV2"}},
    {"GRU", {"DynamicGRUV2"}},
    {"Gather", {"GatherV2"}},
    {"GatherND", {"GatherNd"}},
    {"Gemm", {"MatMulV2"}},
    {"GreaterOrEqual", {"GreaterEqual"}},
    {"GroupNormalization", {"GroupNorm"}},
    {"Hardmax", {"HardMax"}},
    {"InstanceNormalization", {"InstanceNorm"}},
    {"IsNaN", {"IsNan"}},
    {"LSTM", {"DynamicRNN"}},
    {"LayerNormalization", {"LayerNorm"}},
    {"LessOrEqual", {"LessEqual"}},
    {"LogSoftmax", {"LogSoftmaxV2"}},
    {"MatMul", {"MatMulV2", "BatchMatMulV2"}},
    {"Max", {"Maximum"}},
    {"MaxPool", {"MaxPool3D", "MaxPoolV3"}},
    {"MeanVarianceNormalization", {"MVNV2"}},
    {"Min", {"Minimum"}},
    {"NonMaxSuppression", {"NonMaxSuppressionV6"}},
    {"Not", {"LogicalNot"}},
    {"Or", {"LogicalOr"}},
    {"Pad", {"PadV3"}},
    {"QuantizeLinear", {"Quantize", "AscendQuant"}},
    {"RMSNormalization", {"RmsNorm"}},
    {"RNN", {"BasicRNN"}},
    {"Resize", {"ResizeNearestNeighborV2", "ResizeBilinearV2", "Resize"}},
    {"RoiAlign", {"ROIAlign"}},
    {"ScatterND", {"TensorScatterAdd", "TensorScatterUpdate"}},
    {"Slice", {"StridedSliceV2"}},
    {"Softmax", {"SoftmaxV2"}},
    {"Split", {"SplitV"}},
    {"Sum", {"AddN"}},
    {"TopK", {"TopKD", "TopKV2"}},
    {"Trilu", {"Tril", "Triu"}},
    {"Where", {"Select"}},
    {"Xor", {"LogicalXor"}},
    // Same names, among many.
    {"Relu", {"Relu"}},
    {"PRelu", {"PRelu"}},
    {"IsInf", {"IsInf"}},
    {"Einsum", {"Einsum"}},
    {"Add", {"Add"}},
    {"LeakyRelu", {"LeakyRelu"}},
    {"Upsample", {"Upsample"}},
    {"NotAnOperator", {"NotAnOperator"}},
};

TEST(IrType, OfANameIsTheRowWithoutCondition) {
  for (const NameRow& row : kNames) {
    EXPECT_EQ(IrTypeOfName(row.onnx), row.ir.back()) << row.onnx;
  }
}

TEST(IrType, EveryOperatorHasTheTypesOfItsRowsOrItsOwnName) {
  for (const OpInfo& info : AllOps()) {
    std::vector<std::string_view> expected = {info.name};
    for (const NameRow& row : kNames) {
      if (row.onnx == info.name) {
        expected = row.ir;
      }
    }
    EXPECT_EQ(IrTypesOf(info.kind), expected) << info.name;
  }
}

Attributes With(std::string name, Attribute value) {
  Attributes attributes;
  attributes.Set(std::move(name), std::move(value));
  return attributes;
}

TEST(IrType, OfANodeDependsOnAttributesAndRank) {
  GraphBuilder builder;
  const ValueId image = builder.Input("image", {1, 8, 9, 9});
  const ValueId volume = builder.Input("volume", {1, 8, 9, 9, 9});
  const ValueId row = builder.Input("row", {1, 8, 9});
  const ValueId depthwise = builder.Input("depthwise", {8, 1, 3, 3});
  const ValueId pointwise = builder.Input("pointwise", {4, 8, 1, 1});
  const ValueId cube = builder.Input("cube", {4, 8, 1, 1, 1});
  const ValueId line = builder.Input("line", {4, 8, 1});
  const ValueId a = builder.Input("a", {2, 3});
  const ValueId b = builder.Input("b", {3, 4});
  const ValueId c = builder.Input("c", {5, 2, 3});
  const ValueId sizes = builder.Integers("sizes", {1, 8, 18, 18});
  const ValueId row_sizes = builder.Integers("row_sizes", {1, 8, 18});
  const Attributes window2 = With("kernel_shape", std::vector<std::int64_t>{3, 3});
  const Attributes window3 = With("kernel_shape", std::vector<std::int64_t>{3, 3, 3});

  builder.Add(OpKind::kConv, "DepthwiseConv2D", {image, depthwise}, With("group", std::int64_t{8}));
  builder.Add(OpKind::kConv, "Conv2D", {image, pointwise});
  builder.Add(OpKind::kConv, "Conv2D", {row, line});
  builder.Add(OpKind::kConv, "Conv3D", {volume, cube});
  builder.Add(OpKind::kMatMul, "MatMulV2", {a, b});
  builder.Add(OpKind::kMatMul, "BatchMatMulV2", {c, b});
  builder.Add(OpKind::kGemm, "MatMulV2", {a, b});
  builder.Add(OpKind::kMaxPool, "MaxPoolV3", {image}, window2);
  builder.Add(OpKind::kMaxPool, "MaxPool3D", {volume}, window3);
  builder.Add(OpKind::kAveragePool, "AvgPoolV2", {image}, window2);
  builder.Add(OpKind::kAveragePool, "AvgPool3D", {volume}, window3);
  builder.Add(OpKind::kResize, "ResizeNearestNeighborV2", {image, kNoValue, kNoValue, sizes});
  builder.Add(OpKind::kResize, "ResizeBilinearV2", {image, kNoValue, kNoValue, sizes},
              With("mode", std::string("linear")));
  builder.Add(OpKind::kResize, "Resize", {image, kNoValue, kNoValue, sizes},
              With("mode", std::string("cubic")));
  builder.Add(OpKind::kResize, "Resize", {row, kNoValue, kNoValue, row_sizes});
  builder.Add(OpKind::kRelu, "Relu", {a});
  const Graph graph = builder.Finish({});
  for (const Node& node : graph.nodes) {
    EXPECT_EQ(IrTypeOf(graph, node), node.name);
  }
}

struct InputRow {
  const char* ir_type;
  std::vector<int> inputs;  // by ONNX operand; -1: no tensor
};

const InputRow kInputs[] = {
    {"BNInference", {0, 4, 5, 1, 2, -1}},
    {"Conv2DTranspose", {1, 2, 3, -1}},
    {"Conv3DTranspose", {1, 2, 3, -1}},
    {"DynamicRNN", {0, 1, 1, 2, 3, 4, 5, -1}},
    {"DynamicGRUV2", {0, 1, 2, 3, 5, 6, -1}},
    {"ResizeNearestNeighborV2", {0, -1, -1, 1}},
    {"ResizeBilinearV2", {0, -1, -1, 1}},
    {"AscendQuant", {0, -1, -1}},
    {"TopKD", {0, -1}},
    {"Tril", {0, -1}},
    {"Triu", {0, -1}},
    {"PadV3", {0, 1, 2, -1}},
    // No row: the same index.
    {"Conv2D", {0, 1, 2, 3}},
    {"StridedSliceV2", {0, 1, 2, 3, 4}},
    {"NotAnOperator", {0, 1}},
};

TEST(IrInput, FollowsTheTensorListOfTheIr) {
  for (const InputRow& row : kInputs) {
    for (std::size_t i = 0; i < row.inputs.size(); ++i) {
      const auto input = IrInputOf(row.ir_type, i);
      EXPECT_EQ(input ? static_cast<int>(*input) : -1, row.inputs[i]) << row.ir_type << " " << i;
    }
  }
}

TEST(CloudAiNames, AreThoseOfTheModel) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 3});
  builder.Add(OpKind::kRelu, "first", {x});
  builder.Add(OpKind::kRelu, "second", {x});
  Graph graph = builder.Finish({});
  graph.nodes[0].origins = {{"first", "MatMul", "product"}, {"bias", "Add", "sum"}};
  EXPECT_EQ(OnnxKindOf(graph.nodes[0]), "MatMul");
  EXPECT_EQ(FirstOutputName(graph, graph.nodes[0]), "product");
  EXPECT_THAT(FirstOutputNames(graph, graph.nodes[0]), ElementsAre("product", "sum"));
  // Without a name from the file: that of the value.
  EXPECT_EQ(FirstOutputName(graph, graph.nodes[1]), graph.value(graph.nodes[1].outputs[0]).name);
}

}  // namespace
}  // namespace halftone
