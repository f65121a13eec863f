// One row per case: operator, inputs, attributes, expected output shapes; then what must be
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "src/base/error.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using Ints = std::vector<std::int64_t>;

Attributes With(std::initializer_list<std::pair<const char*, Attribute>> values) {
  Attributes attributes;
  for (const auto& [name, value] : values) {
    attributes.Set(name, value);
  }
  return attributes;
}

// An input: a run-time tensor of a shape, or integer constants.
struct Operand {
  Shape shape;
  bool constant = false;
  Ints values;
};

Operand Data(Shape shape) {
  return {std::move(shape), false, {}};
}

Operand Const(Ints values) {
  return {{static_cast<std::int64_t>(values.size())}, true, std::move(values)};
}

struct Case {
  const char* name;
  OpKind op;
  std::vector<Operand> inputs;
  Attributes attributes;
  std::vector<Shape> expected;  // empty: must be refused
  const char* message = "";
};

std::vector<Shape> Infer(const Case& test) {
  GraphBuilder builder;
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    const Operand& operand = test.inputs[i];
    const std::string name = "in" + std::to_string(i);
    inputs.push_back(operand.constant ? builder.Integers(name, operand.values)
                                      : builder.Input(name, operand.shape));
  }
  const int outputs = std::max<int>(1, static_cast<int>(test.expected.size()));
  const ValueId first = builder.Add(test.op, "node", inputs, test.attributes, outputs);
  const Graph graph = builder.Finish({first});
  std::vector<Shape> shapes;
  for (const ValueId id : graph.nodes[0].outputs) {
    shapes.push_back(graph.value(id).type.shape);
  }
  return shapes;
}

class ShapeRuleTest : public ::testing::TestWithParam<Case> {};

TEST_P(ShapeRuleTest, GivesTheSpecifiedShape) {
  const Case& test = GetParam();
  if (!test.expected.empty()) {
    EXPECT_EQ(Infer(test), test.expected);
    return;
  }
  try {
    Infer(test);
    FAIL() << "expected an error with: " << test.message;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(test.message));
  }
}

const Case kGood[] = {
    {"ConvPadsAndStride",
     OpKind::kConv,
     {Data({1, 3, 7, 9}), Data({8, 3, 3, 3})},
     With({{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}),
     {{1, 8, 4, 5}}},
    {"ConvSameUpper",
     OpKind::kConv,
     {Data({1, 1, 28, 28}), Data({8, 1, 5, 5})},
     With({{"auto_pad", std::string("SAME_UPPER")}}),
     {{1, 8, 28, 28}}},
    {"ConvSameStride",
     OpKind::kConv,
     {Data({1, 1, 7, 7}), Data({8, 1, 3, 3})},
     With({{"auto_pad", std::string("SAME_LOWER")}, {"strides", Ints{2, 2}}}),
     {{1, 8, 4, 4}}},
    {"ConvDilated1D",
     OpKind::kConv,
     {Data({2, 4, 16}), Data({6, 2, 3})},
     With({{"group", std::int64_t{2}}, {"dilations", Ints{2}}}),
     {{2, 6, 12}}},
    {"MatMulBatch", OpKind::kMatMul, {Data({5, 1, 2, 3}), Data({4, 3, 7})}, {}, {{5, 4, 2, 7}}},
    {"MatMulVector", OpKind::kMatMul, {Data({3}), Data({4, 3, 7})}, {}, {{4, 7}}},
    {"MatMulTwoVectors", OpKind::kMatMul, {Data({3}), Data({3})}, {}, {Shape{}}},
    {"GemmTransposed",
     OpKind::kGemm,
     {Data({3, 2}), Data({5, 3}), Data({5})},
     With({{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}),
     {{2, 5}}},
    {"PoolCeil",
     OpKind::kMaxPool,
     {Data({1, 1, 4, 4})},
     With({{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}}),
     {{1, 1, 2, 2}}},
    {"PoolCeilDropsLastWindow",
     OpKind::kMaxPool,
     {Data({1, 1, 2, 2})},
     With({{"kernel_shape", Ints{1, 1}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}}),
     {{1, 1, 1, 1}}},
    {"GlobalPool", OpKind::kGlobalAveragePool, {Data({2, 3, 4, 5})}, {}, {{2, 3, 1, 1}}},
    {"ReduceKeep", OpKind::kReduceMean, {Data({2, 3, 4}), Const({-1})}, {}, {{2, 3, 1}}},
    {"ReduceAllDrop",
     OpKind::kReduceSum,
     {Data({2, 3, 4})},
     With({{"keepdims", std::int64_t{0}}}),
     {Shape{}}},
    {"ReduceNoop",
     OpKind::kReduceSum,
     {Data({2, 3})},
     With({{"noop_with_empty_axes", std::int64_t{1}}}),
     {{2, 3}}},
    {"ArgMax",
     OpKind::kArgMax,
     {Data({2, 3})},
     With({{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}}),
     {{2}}},
    {"Concat",
     OpKind::kConcat,
     {Data({2, 3}), Data({2, 5})},
     With({{"axis", std::int64_t{-1}}}),
     {{2, 8}}},
    {"SplitUneven", OpKind::kSplit, {Data({7, 2}), Const({3, 4})}, {}, {{3, 2}, {4, 2}}},
    {"SplitLastSmaller", OpKind::kSplit, {Data({7, 2})}, {}, {{3, 2}, {3, 2}, {1, 2}}},
    {"ReshapeInfer", OpKind::kReshape, {Data({2, 3, 4}), Const({0, -1})}, {}, {{2, 12}}},
    {"ReshapeAllowZero",
     OpKind::kReshape,
     {Data({0, 3}), Const({3, 0})},
     With({{"allowzero", std::int64_t{1}}}),
     {{3, 0}}},
    {"FlattenAtRank",
     OpKind::kFlatten,
     {Data({2, 3})},
     With({{"axis", std::int64_t{2}}}),
     {{6, 1}}},
    {"SliceNegativeStep",
     OpKind::kSlice,
     {Data({10}), Const({-1}), Const({-11}), Const({0}), Const({-3})},
     {},
     {{4}}},
    {"SliceBeyondEnd",
     OpKind::kSlice,
     {Data({10, 4}), Const({2}), Const({INT64_MAX}), Const({0})},
     {},
     {{8, 4}}},
    {"SliceEmpty", OpKind::kSlice, {Data({10}), Const({7}), Const({3})}, {}, {{0}}},
    {"SqueezeAll", OpKind::kSqueeze, {Data({1, 3, 1})}, {}, {{3}}},
    {"UnsqueezeBack", OpKind::kUnsqueeze, {Data({2, 3}), Const({0, -1})}, {}, {{1, 2, 3, 1}}},
    {"TransposeDefault", OpKind::kTranspose, {Data({2, 3, 4})}, {}, {{4, 3, 2}}},
    {"GatherScalarIndex",
     OpKind::kGather,
     {Data({5, 6, 7}), Data({})},
     With({{"axis", std::int64_t{1}}}),
     {{5, 7}}},
    {"GatherMatrix", OpKind::kGather, {Data({5, 6}), Data({2, 3})}, {}, {{2, 3, 6}}},
    {"PadAxes", OpKind::kPad, {Data({2, 3}), Const({1, 2})}, {}, {}, "expected 4 values"},
    {"PadBoth", OpKind::kPad, {Data({2, 3}), Const({0, 1, 0, 2})}, {}, {{2, 6}}},
    {"ExpandBoth", OpKind::kExpand, {Data({3, 1}), Const({2, 1, 4})}, {}, {{2, 3, 4}}},
    {"SliceOfNothing",
     OpKind::kSlice,
     {Data({0, 3}), Const({5}), Const({-7}), Const({0}), Const({-1})},
     {},
     {{0, 3}}},
    {"Tile", OpKind::kTile, {Data({2, 3}), Const({2, 1})}, {}, {{4, 3}}},
    {"RangeBackwards", OpKind::kRange, {Const({10}), Const({4}), Const({-3})}, {}, {{2}}},
    {"DepthToSpace",
     OpKind::kDepthToSpace,
     {Data({1, 8, 2, 3})},
     With({{"blocksize", std::int64_t{2}}}),
     {{1, 2, 4, 6}}},
    {"ShapeSlice", OpKind::kShape, {Data({2, 3, 4})}, With({{"start", std::int64_t{-2}}}), {{2}}},
};

const Case kBad[] = {
    {"ConvChannels",
     OpKind::kConv,
     {Data({1, 3, 7, 7}), Data({8, 4, 3, 3})},
     {},
     {},
     "do not fit 1 groups"},
    {"ConvKernelTooLarge",
     OpKind::kConv,
     {Data({1, 3, 2, 2}), Data({8, 3, 3, 3})},
     {},
     {},
     "does not fit into the padded extent 2"},
    {"ConvBias",
     OpKind::kConv,
     {Data({1, 3, 7, 7}), Data({8, 3, 3, 3}), Data({7})},
     {},
     {},
     "expected a bias of 8 values"},
    {"PoolAutoPad",
     OpKind::kMaxPool,
     {Data({1, 1, 4, 4})},
     With({{"kernel_shape", Ints{2, 2}}, {"auto_pad", std::string("MAYBE")}}),
     {},
     "got 'MAYBE'"},
    {"MatMulInner",
     OpKind::kMatMul,
     {Data({2, 3}), Data({4, 5})},
     {},
     {},
     "inner extents of 2x3 and 4x5 differ"},
    {"ReshapeCount",
     OpKind::kReshape,
     {Data({2, 3}), Const({4})},
     {},
     {},
     "has 6 elements, the target shape 4 has 4"},
    {"ReshapeTwoInferred",
     OpKind::kReshape,
     {Data({2, 3}), Const({-1, -1})},
     {},
     {},
     "neither an extent nor the only -1"},
    {"ReshapeAtRunTime",
     OpKind::kReshape,
     {Data({2, 3}), Data({2})},
     {},
     {},
     "computed at run time"},
    {"TransposePerm",
     OpKind::kTranspose,
     {Data({2, 3})},
     With({{"perm", Ints{0, 0}}}),
     {},
     "no permutation"},
    {"SqueezeNotOne",
     OpKind::kSqueeze,
     {Data({2, 3}), Const({0})},
     {},
     {},
     "axis 0 of 2x3 is not 1"},
    {"ConcatRank",
     OpKind::kConcat,
     {Data({2, 3}), Data({2})},
     With({{"axis", std::int64_t{0}}}),
     {},
     "differ in rank"},
    {"GatherAxis",
     OpKind::kGather,
     {Data({2, 3}), Data({2})},
     With({{"axis", std::int64_t{2}}}),
     {},
     "axis 2 is outside"},
    {"PadOverflow",
     OpKind::kPad,
     {Data({2}), Const({std::numeric_limits<std::int64_t>::max(), 1})},
     {},
     {},
     "no sensible padding of axis 0"},
    {"ConvGroupOverflow",
     OpKind::kConv,
     {Data({1, 4, 7, 7}), Data({8, 4, 3, 3})},
     With({{"group", (std::int64_t{1} << 62) + 1}}),
     {},
     "do not fit 4611686018427387905 groups"},
    {"PoolStrideOverflow",
     OpKind::kMaxPool,
     {Data({1, 1, 4, 4})},
     With({{"kernel_shape", Ints{2, 2}}, {"strides", Ints{1, std::int64_t{1} << 62}}}),
     {},
     "attribute 'strides': expected values from 1 to 2147483647, got 4611686018427387904"},
    {"PoolPadsNegative",
     OpKind::kMaxPool,
     {Data({1, 1, 4, 4})},
     With({{"kernel_shape", Ints{2, 2}}, {"pads", Ints{0, 0, -1, 0}}}),
     {},
     "attribute 'pads': expected values from 0 to 2147483647, got -1"},
    {"DepthToSpaceOverflow",
     OpKind::kDepthToSpace,
     {Data({1, 0, 4, 4})},
     With({{"blocksize", std::int64_t{1} << 32}}),
     {},
     "blocksize 4294967296 does not fit"},
    {"RangeOfNothing",
     OpKind::kRange,
     {Const({0}), Const({1}), Const({0})},
     {},
     {},
     "has no sensible length"},
    {"RangeFromNoValue",
     OpKind::kRange,
     {Const({}), Const({1}), Const({1})},
     {},
     {},
     "input 'start': expected one value, got 0"},
    {"SplitNegativePart",
     OpKind::kSplit,
     {Data({4}), Const({8, -4})},
     {},
     {},
     "a part of 8 does not fit into what is left of axis 0 of 4"},
    {"AttributeKind",
     OpKind::kTranspose,
     {Data({2, 3})},
     With({{"perm", std::string("ab")}}),
     {},
     "attribute 'perm': expected a list of integers, got a text"},
};

const auto kName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Good, ShapeRuleTest, ::testing::ValuesIn(kGood), kName);
INSTANTIATE_TEST_SUITE_P(Bad, ShapeRuleTest, ::testing::ValuesIn(kBad), kName);

}  // namespace
}  // namespace halftone
