#include "src/qaic/quantized_kinds.h"

namespace halftone {
namespace {

struct Row {
  std::string_view kind;
  QuantizedRule rule;
};

constexpr QuantizedRule kOwn = QuantizedRule::kOwnParameters;
constexpr QuantizedRule kSame = QuantizedRule::kSameParameters;

constexpr Row kRows[] = {
    {"Conv", kOwn},
    {"ConvTranspose", kOwn},
    {"Gemm", kOwn},
    {"MatMul", kOwn},
    {"BatchNormalization", kOwn},
    {"Add", kOwn},
    {"Sub", kOwn},
    {"Mul", kOwn},
    {"Div", kOwn},
    {"Max", kOwn},
    {"Min", kOwn},
    {"Sum", kOwn},
    {"AveragePool", kOwn},
    {"GlobalAveragePool", kOwn},
    {"Concat", kOwn},
    {"Clip", kOwn},
    {"Relu", kOwn},
    {"LeakyRelu", kOwn},
    {"PRelu", kOwn},
    // Tables of 256 entries.
    {"Sigmoid", kOwn},
    {"Tanh", kOwn},
    {"Log", kOwn},
    // Glow moves their bytes, or computes within the scale of the operand.
    {"LRN", kSame},
    {"Slice", kSame},
    {"Reshape", kSame},
    {"Transpose", kSame},
    {"TopK", kSame},
    {"Gather", kSame},
    {"MaxPool", kSame},
    {"GlobalMaxPool", kSame},
    {"Resize", kSame},
    {"Upsample", kSame},
    {"SpaceToDepth", kSame},
    // Reshapes and slices in other words.
    {"DepthToSpace", kSame},
    {"Flatten", kSame},
    {"Squeeze", kSame},
    {"Unsqueeze", kSame},
    {"Split", kSame},
    {"Expand", kSame},
    {"Tile", kSame},
};

}  // namespace

QuantizedRule QuantizedRuleOf(std::string_view onnx_kind) {
  for (const Row& row : kRows) {
    if (row.kind == onnx_kind) {
      return row.rule;
    }
  }
  return QuantizedRule::kNone;
}

}  // namespace halftone
