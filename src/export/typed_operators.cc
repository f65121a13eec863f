#include "src/export/typed_operators.h"

#include <algorithm>
#include <span>

#include "src/base/text.h"

namespace halftone {
namespace {

struct OpsetRow {
  std::int64_t opset;
  std::string_view operators;  // separated by blanks
};

constexpr OpsetRow kBFloat16[] = {
    {13,
     "Abs Add ArgMax ArgMin Cast Ceil Clip Concat Constant DepthToSpace Div Dropout Equal Erf Exp "
     "Expand Flatten Floor Gather GatherElements GatherND Gemm Greater Hardmax Identity IsNaN LRN "
     "Less Log LogSoftmax MatMul Max Mean MeanVarianceNormalization Min Mod Mul Neg NonZero Pad "
     "Pow Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
     "ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ScatterElements ScatterND Shape "
     "Sigmoid Sign Size Slice Softmax SoftmaxCrossEntropyLoss SpaceToDepth Split Sqrt Squeeze Sub "
     "Sum Tanh Tile Transpose "
     "Unsqueeze"},
    {14, "BatchNormalization CumSum Trilu"},
    {15, "CastLike"},
    {16, "GreaterOrEqual LeakyRelu LessOrEqual PRelu Where"},
    {17, "DFT LayerNormalization STFT"},
    {18, "CenterCropPad Col2Im"},
    {20, "AffineGrid Gelu IsInf"},
    {21, "GroupNormalization"},
    {22,
     "Acos Acosh Asin Asinh Atan Atanh AveragePool Conv ConvTranspose Cos Cosh DeformConv Det Elu "
     "GRU GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample HardSigmoid HardSwish "
     "InstanceNormalization LSTM LpNormalization LpPool MaxPool MaxRoiPool MaxUnpool Mish RNN "
     "RoiAlign Round Selu Sin Sinh Softplus Softsign Tan ThresholdedRelu"},
    {23, "Attention RMSNormalization RotaryEmbedding"},
    {24, "Swish TensorScatter TopK"},
    {26, "CumProd"},
    {27, "Range"},
    {28, "Celu"},
};

// Operators that had float tensors before they had float16.
constexpr OpsetRow kFloat16Later[] = {
    {11, "Equal"}, {14, "CumSum"}, {20, "IsInf"}, {21, "GroupNormalization"},
    {27, "Range"}, {28, "Celu"},
};

// Operators of float32 alone, and those whose types say something else than their operands.
constexpr std::string_view kNoFloat16 =
    "DequantizeLinear DynamicQuantizeLinear NonMaxSuppression QuantizeLinear";

bool Lists(std::string_view operators, std::string_view op_type) {
  return std::ranges::any_of(Split(operators, ' '),
                             [&](std::string_view word) { return word == op_type; });
}

std::optional<std::int64_t> Find(std::span<const OpsetRow> rows, std::string_view op_type) {
  const auto found = std::ranges::find_if(
      rows, [&](const OpsetRow& row) { return Lists(row.operators, op_type); });
  return found == rows.end() ? std::nullopt : std::optional(found->opset);
}

struct OwnTypes {
  std::string_view op_type;
  std::int64_t since;  // opset
  std::size_t first;   // operand
  std::size_t last;
};

constexpr OwnTypes kOwnTypes[] = {
    {"BatchNormalization", 14, 3, 4},
    {"BatchNormalization", 15, 1, 4},
    {"Dropout", 12, 1, 2},
    {"Pow", 12, 1, 1},
    {"Resize", 10, 1, 3},
    {"Upsample", 9, 1, 1},
};

}  // namespace

std::optional<std::int64_t> FirstOpsetOf(std::string_view op_type, DType low) {
  if (low == DType::kBFloat16) {
    return Find(kBFloat16, op_type);
  }
  if (Lists(kNoFloat16, op_type)) {
    return std::nullopt;
  }
  return Find(kFloat16Later, op_type).value_or(1);
}

bool HasOwnType(std::string_view op_type, std::int64_t opset, std::size_t input) {
  return std::ranges::any_of(kOwnTypes, [&](const OwnTypes& row) {
    return row.op_type == op_type && row.since <= opset && row.first <= input && input <= row.last;
  });
}

}  // namespace halftone
