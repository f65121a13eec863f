// Types of operators on quantised data: operands with their dtypes, then the expected types of the
// outputs or the exact error.
#include <gtest/gtest.h>

#include <limits>

#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;
constexpr DType kS16 = DType::kInt16;
constexpr DType kS32 = DType::kInt32;
using Ints = std::vector<std::int64_t>;

struct Case {
  const char* name;
  OpKind op;
  std::vector<TensorType> inputs;
  Attributes attributes;
  std::string expected;  // types of the outputs, or the error
  int outputs = 1;
};

Attributes With(std::initializer_list<std::pair<const char*, Attribute>> values) {
  Attributes attributes;
  for (const auto& [name, value] : values) {
    attributes.Set(name, value);
  }
  return attributes;
}

std::string Outcome(const Case& test) {
  ShapeQuery query{.attributes = test.attributes, .output_count = test.outputs};
  for (const TensorType& type : test.inputs) {
    query.inputs.push_back(&type);
    query.constants.push_back(nullptr);
  }
  try {
    std::string text;
    for (const TensorType& type : InfoOf(test.op).shape_rule(query)) {
      text += (text.empty() ? "" : ", ") + type.ToString();
    }
    return text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
}

// The eight or nine operands of QLinearMatMul and QLinearConv.
std::vector<TensorType> Linear(TensorType a, TensorType b, Shape b_lines, DType y) {
  const DType a_dtype = a.dtype;
  const DType b_dtype = b.dtype;
  return {std::move(a),    {kF32, {}},         {a_dtype, {}}, std::move(b),
          {kF32, b_lines}, {b_dtype, b_lines}, {kF32, {}},    {y, {}}};
}

std::vector<TensorType> Replaced(std::vector<TensorType> types, std::size_t i, TensorType type) {
  types.at(i) = std::move(type);
  return types;
}

const std::vector<TensorType> kMatMul = Linear({kU8, {3, 8}}, {kS8, {8, 6}}, {6}, kS8);
const std::vector<TensorType> kConv = Linear({kU8, {1, 4, 5, 5}}, {kS8, {6, 4, 3, 3}}, {6}, kU8);

const Case kCases[] = {
    {"MatMulInteger", OpKind::kMatMulInteger, {{kU8, {2, 3, 8}}, {kS8, {8, 6}}}, {}, "int32 2x3x6"},
    {"MatMulIntegerZeros",
     OpKind::kMatMulInteger,
     {{kU8, {2, 3, 8}}, {kS8, {2, 8, 6}}, {kU8, {2, 3, 1}}, {kS8, {2, 1, 6}}},
     {},
     "int32 2x3x6"},
    {"MatMulIntegerOfFloats",
     OpKind::kMatMulInteger,
     {{kF32, {3, 8}}, {kS8, {8, 6}}},
     {},
     "input 0: expected int8 or uint8, got float32 3x8"},
    {"MatMulIntegerZeroOfAnotherType",
     OpKind::kMatMulInteger,
     {{kU8, {3, 8}}, {kS8, {8, 6}}, {kS8, {}}},
     {},
     "input 2: expected uint8 as input 0, got int8 scalar"},
    {"MatMulIntegerZerosOfColumnsForA",
     OpKind::kMatMulInteger,
     {{kU8, {3, 8}}, {kS8, {8, 6}}, {kU8, {6}}},
     {},
     "input 2: expected one element, or one for each row of 3x8, got uint8 6"},
    {"MatMulIntegerZerosOfRowsForB",
     OpKind::kMatMulInteger,
     {{kU8, {3, 8}}, {kS8, {8, 6}}, {kU8, {}}, {kS8, {3}}},
     {},
     "input 3: expected one element, or one for each column of 8x6, got int8 3"},
    {"ConvInteger",
     OpKind::kConvInteger,
     {{kU8, {1, 4, 5, 5}}, {kU8, {6, 4, 3, 3}}, {kU8, {}}, {kU8, {6}}},
     With({{"pads", Ints{1, 1, 1, 1}}}),
     "int32 1x6x5x5"},
    {"ConvIntegerZerosOfPixels",
     OpKind::kConvInteger,
     {{kU8, {1, 4, 5, 5}}, {kU8, {6, 4, 3, 3}}, {kU8, {4}}},
     {},
     "input 2: expected one element, got uint8 4"},
    {"ConvIntegerZerosOfInputChannels",
     OpKind::kConvInteger,
     {{kU8, {1, 4, 5, 5}}, {kU8, {6, 4, 3, 3}}, {kU8, {}}, {kU8, {4}}},
     {},
     "input 3: expected one element or 6, got uint8 4"},
    {"QLinearMatMul", OpKind::kQLinearMatMul, kMatMul, {}, "int8 3x6"},
    {"QLinearMatMulToFloat",
     OpKind::kQLinearMatMul,
     Replaced(kMatMul, 7, {kF32, {}}),
     {},
     "input 7: expected int8 or uint8, got float32 scalar"},
    {"QLinearMatMulScales",
     OpKind::kQLinearMatMul,
     Replaced(kMatMul, 6, {kF32, {6}}),
     {},
     "input 6: expected one element, got float32 6"},
    {"QLinearConv", OpKind::kQLinearConv, kConv, {}, "uint8 1x6x3x3"},
    {"QLinearConvScales",
     OpKind::kQLinearConv,
     Replaced(kConv, 4, {kF32, {4}}),
     {},
     "input 4: expected one element or 6, got float32 4"},
    {"DynamicMatMul",
     OpKind::kDynamicMatMul,
     {{kF32, {2, 3, 8}}, {kS8, {8, 6}}, {kF32, {6}}, {kF32, {6}}},
     {},
     "float32 2x3x6"},
    {"DynamicMatMulOfBytes",
     OpKind::kDynamicMatMul,
     {{kU8, {3, 8}}, {kS8, {8, 6}}, {kF32, {6}}},
     {},
     "input 0: expected float32 of rank 2 or more, got uint8 3x8"},
    {"DynamicMatMulOfBatches",
     OpKind::kDynamicMatMul,
     {{kF32, {2, 3, 8}}, {kS8, {2, 8, 6}}, {kF32, {6}}},
     {},
     "input 1: expected a matrix of int8, got int8 2x8x6"},
    {"DynamicMatMulScales",
     OpKind::kDynamicMatMul,
     {{kF32, {3, 8}}, {kS8, {8, 6}}, {kF32, {}}},
     {},
     "input 2: expected 6 numbers of float32, got float32 scalar"},
    {"DynamicMatMulResidual",
     OpKind::kDynamicMatMul,
     {{kF32, {3, 8}}, {kS8, {8, 6}}, {kF32, {6}}, {kF32, {6}}, {kF32, {6}}},
     {},
     "input 4: expected a residual of float32 3x6, got float32 6"},
    {"Quantize",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {}}, {kS16, {}}},
     {},
     "int16 3x5"},
    {"QuantizeToBytes", OpKind::kQuantizeLinear, {{kF32, {3, 5}}, {kF32, {5}}}, {}, "uint8 3x5"},
    {"QuantizeTo32Bits",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {}}, {kS32, {}}},
     {},
     "input 2: expected int8, uint8, int16 or uint16, got int32 scalar"},
    {"QuantizeScalesOfAnotherAxis",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {3}}},
     {},
     "expected a scale of 1 or 5 values (axis 1 of 3x5), got 3"},
    {"QuantizeAxis",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {3}}},
     With({{"axis", std::int64_t{-2}}}),
     "uint8 3x5"},
    {"QuantizeAxisOutside",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {3}}},
     With({{"axis", std::int64_t{2}}}),
     "attribute 'axis': 2 is outside an input of shape 3x5"},
    {"QuantizeZerosOfAnotherShape",
     OpKind::kQuantizeLinear,
     {{kF32, {3, 5}}, {kF32, {5}}, {kU8, {}}},
     {},
     "expected scale and zero point of one shape, got 5 and scalar"},
    {"DequantizeBlocks",
     OpKind::kDequantizeLinear,
     {{kS8, {3, 7}}, {kF32, {3, 3}}},
     With({{"block_size", std::int64_t{3}}}),
     "float32 3x7"},
    {"DequantizeOneBlockBeyondAllMemory",
     OpKind::kDequantizeLinear,
     {{kS8, {3, 7}}, {kF32, {3, 1}}},
     With({{"block_size", std::numeric_limits<std::int64_t>::max()}}),
     "float32 3x7"},
    {"DequantizeBlocksThatDoNotFit",
     OpKind::kDequantizeLinear,
     {{kS8, {3, 7}}, {kF32, {3, 2}}},
     With({{"block_size", std::int64_t{3}}}),
     "attribute 'block_size': blocks of 3 along axis 1 of 3x7 do not fit a scale of shape 3x2"},
    {"DequantizeBias",
     OpKind::kDequantizeLinear,
     {{kS32, {16}}, {kF32, {1}}, {kS32, {}}},
     {},
     "float32 16"},
    {"Dynamic",
     OpKind::kDynamicQuantizeLinear,
     {{kF32, {3, 5}}},
     {},
     "uint8 3x5, float32 scalar, uint8 scalar",
     3},
};

class QuantizedShapes : public ::testing::TestWithParam<Case> {};

TEST_P(QuantizedShapes, FollowTheSpecification) {
  EXPECT_EQ(Outcome(GetParam()), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Rules, QuantizedShapes, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace halftone
