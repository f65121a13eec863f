// The sizes that a machine profile compares calls by, in both layouts and all kinds.
#include "src/exec/call_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "src/ir/layout.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

struct Call {
  OpKind op = OpKind::kConv;
  std::vector<TensorType> inputs;
  TensorType output;
  Attributes attributes;
  std::size_t constant = 1;  // index of the constant operand
  bool channels_last = false;
};

std::optional<CallShape> ShapeOf(const Call& call) {
  KernelQuery query{.op = call.op, .attributes = &call.attributes};
  query.layout.channels_last = call.channels_last;
  std::optional<Tensor> constant;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    query.inputs.push_back(&call.inputs[i]);
    if (i == call.constant) {
      constant.emplace(call.inputs[i]);
    }
  }
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    query.constants.push_back(i == call.constant ? &*constant : nullptr);
  }
  query.outputs.push_back(&call.output);
  return CallShapeOf(query);
}

Attributes Conv(std::int64_t group, std::int64_t stride) {
  Attributes attributes;
  attributes.Set("group", group);
  attributes.Set("strides", std::vector<std::int64_t>{stride, stride});
  return attributes;
}

constexpr DType kF32 = DType::kFloat32;

TEST(CallShapeTest, BothLayoutsOfAConvolutionHaveTheSameSizes) {
  const Call first{.inputs = {{kF32, {2, 16, 8, 8}}, {kF32, {32, 16, 3, 3}}},
                   .output = {kF32, {2, 32, 4, 4}},
                   .attributes = Conv(1, 2)};
  Call last = first;
  last.channels_last = true;
  last.inputs[0].shape = ChannelsLastOf(first.inputs[0].shape);
  last.output.shape = ChannelsLastOf(first.output.shape);
  const auto a = ShapeOf(first);
  const auto b = ShapeOf(last);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->family, "Conv dense, constant weights: float32, float32 -> float32");
  EXPECT_EQ(b->family, "Conv dense, channels last, constant weights: float32, float32 -> float32");
  // 32 pixels, 16 channels to 32, 9 taps, one group, strides of 2 x 2.
  EXPECT_THAT(a->sizes, ElementsAre(5, 4, 5, std::log2(9.0), 0, 2));
  EXPECT_EQ(a->sizes, b->sizes);
}

TEST(CallShapeTest, DepthwiseAndGroupedConvolutionsAreKindsOfTheirOwn) {
  const auto depthwise = ShapeOf({.inputs = {{kF32, {1, 8, 4, 4}}, {kF32, {8, 1, 3, 3}}},
                                  .output = {kF32, {1, 8, 4, 4}},
                                  .attributes = Conv(8, 1)});
  ASSERT_TRUE(depthwise);
  EXPECT_TRUE(depthwise->family.starts_with("Conv depthwise, ")) << depthwise->family;
  EXPECT_THAT(depthwise->sizes, ElementsAre(4, 0, 0, std::log2(9.0), 3, 0));
  const auto grouped = ShapeOf({.inputs = {{kF32, {1, 8, 4, 4}}, {kF32, {16, 4, 1, 1}}},
                                .output = {kF32, {1, 16, 4, 4}},
                                .attributes = Conv(2, 1)});
  ASSERT_TRUE(grouped);
  EXPECT_TRUE(grouped->family.starts_with("Conv grouped, ")) << grouped->family;
  EXPECT_THAT(grouped->sizes, ElementsAre(4, 2, 3, 0, 1, 0));
}

TEST(CallShapeTest, ABatchOfRowsTimesOneMatrixIsOneProduct) {
  const auto one = ShapeOf({.op = OpKind::kMatMul,
                            .inputs = {{kF32, {2, 8, 64}}, {kF32, {64, 32}}},
                            .output = {kF32, {2, 8, 32}},
                            .attributes = {}});
  ASSERT_TRUE(one);
  EXPECT_THAT(one->sizes, ElementsAre(4, 5, 6, 0));
  const auto many = ShapeOf({.op = OpKind::kMatMul,
                             .inputs = {{kF32, {2, 8, 64}}, {kF32, {2, 64, 32}}},
                             .output = {kF32, {2, 8, 32}},
                             .attributes = {},
                             .constant = 9});
  ASSERT_TRUE(many);
  EXPECT_THAT(many->sizes, ElementsAre(3, 5, 6, 1));
  EXPECT_EQ(many->family, "MatMul of batches: float32, float32 -> float32");
}

TEST(CallShapeTest, AnOperatorWithoutARowAndOperandsWithoutExtentsHaveNone) {
  EXPECT_FALSE(ShapeOf({.op = OpKind::kRelu,
                        .inputs = {{kF32, {4}}, {kF32, {4}}},
                        .output = {kF32, {4}},
                        .attributes = {}}));
  EXPECT_FALSE(ShapeOf({.op = OpKind::kMatMul,
                        .inputs = {{kF32, {}}, {kF32, {4}}},
                        .output = {kF32, {}},
                        .attributes = {}}));
}

}  // namespace
}  // namespace halftone
