// Operands that do not fit what reads them are refused: kernels take their extents from input 0 and
// would read beyond the end of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/ir/shape_rule_case.h"

namespace halftone::testing {
namespace {

class OperandShapeTest : public ::testing::TestWithParam<ShapeRuleCase> {};

TEST_P(OperandShapeTest, IsRefusedBeforeAKernelReadsBeyondIt) {
  const ShapeRuleCase& test = GetParam();
  try {
    Infer(test);
    FAIL() << "expected an error with: " << test.message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(test.message));
  }
}

const Attributes kNone;

INSTANTIATE_TEST_SUITE_P(
    Rows, OperandShapeTest,
    ::testing::Values(ShapeRuleCase{"GatherElementsLarger",
                                    OpKind::kGatherElements,
                                    {Data({2, 4, 6, 6}), Data({5, 4, 6, 5})},
                                    With({{"axis", std::int64_t{3}}}),
                                    {},
                                    "indices 5x4x6x5 are larger than data 2x4x6x6 in axis 0"},
                      ShapeRuleCase{"BatchNormalizationScalar",
                                    OpKind::kBatchNormalization,
                                    {Data({2, 4, 6}), Data({}), Data({4}), Data({4}), Data({4})},
                                    kNone,
                                    {},
                                    "input 'scale': expected shape 4, got scalar"},
                      ShapeRuleCase{"BatchNormalizationVariance",
                                    OpKind::kBatchNormalization,
                                    {Data({2, 4, 6}), Data({4}), Data({4}), Data({4}), Data({3})},
                                    kNone,
                                    {},
                                    "input 'input_var': expected shape 4, got 3"},
                      ShapeRuleCase{"BatchNormalizationOfAVector",
                                    OpKind::kBatchNormalization,
                                    {Data({4}), Data({1}), Data({1}), Data({1}), Data({1})},
                                    kNone,
                                    {},
                                    "expected an input of shape [N, C, spatial...], got 4"},
                      ShapeRuleCase{"InstanceNormalizationBias",
                                    OpKind::kInstanceNormalization,
                                    {Data({2, 4, 6}), Data({4}), Data({0})},
                                    kNone,
                                    {},
                                    "input 'B': expected shape 4, got 0"},
                      ShapeRuleCase{
                          "LayerNormalizationScaleByRow",
                          OpKind::kLayerNormalization,
                          {Data({2, 6, 6}), Data({6, 1})},
                          kNone,
                          {},
                          "input 'Scale': expected the last axes of 2x6x6, of the 1 that are "
                          "normalized, got 6x1"},
                      ShapeRuleCase{"LayerNormalizationEmptyBias",
                                    OpKind::kLayerNormalization,
                                    {Data({2, 6}), Data({6}), Data({0})},
                                    kNone,
                                    {},
                                    "input 'B': expected the last axes of 2x6"},
                      ShapeRuleCase{"RmsNormalizationScale",
                                    OpKind::kRmsNormalization,
                                    {Data({2, 6}), Data({5})},
                                    kNone,
                                    {},
                                    "input 'scale': expected the last axes of 2x6"},
                      ShapeRuleCase{"ClipBoundOfNothing",
                                    OpKind::kClip,
                                    {Data({2, 6}), Data({0})},
                                    kNone,
                                    {},
                                    "input 'min': expected one value, got shape 0"},
                      ShapeRuleCase{"PadValueOfNothing",
                                    OpKind::kPad,
                                    {Data({2}), Const({1, 1}), Data({0})},
                                    kNone,
                                    {},
                                    "input 'constant_value': expected one value, got shape 0"},
                      ShapeRuleCase{"TriluDiagonalOfNothing",
                                    OpKind::kTrilu,
                                    {Data({2, 3}), Const({})},
                                    kNone,
                                    {},
                                    "input 'k': expected one value, got shape 0"},
                      ShapeRuleCase{"NonMaxSuppressionThresholds",
                                    OpKind::kNonMaxSuppression,
                                    {Data({1, 6, 4}), Data({1, 2, 6}), Const({3}), Data({0})},
                                    kNone,
                                    {},
                                    "input 'iou_threshold': expected one value, got shape 0"},
                      ShapeRuleCase{"ConstantOfNothing",
                                    OpKind::kConstantOfShape,
                                    {Const({2, 3})},
                                    With({{"value", Tensor(DType::kFloat32, {0})}}),
                                    {},
                                    "attribute 'value': expected one element, got float32 0"}),
    [](const auto& test) { return std::string(test.param.name); });

// Scales that repeat from row to row, however many axes they have.
TEST(OperandShapeTest, LayerNormalizationTakesScalesOfTheLastAxes) {
  for (const Shape& scale : {Shape{5, 6}, Shape{6}, Shape{1}, Shape{}, Shape{1, 1, 6}}) {
    const ShapeRuleCase test{"",
                             OpKind::kLayerNormalization,
                             {Data({2, 5, 6}), Data(scale)},
                             With({{"axis", std::int64_t{1}}}),
                             {{2, 5, 6}}};
    EXPECT_EQ(Infer(test), test.expected) << scale.ToString();
  }
}

}  // namespace
}  // namespace halftone::testing
