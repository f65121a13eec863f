#include "src/ir/op_table.h"

#include "src/base/error.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

constexpr MixPolicy kWhite = MixPolicy::kWhite;
constexpr MixPolicy kBlack = MixPolicy::kBlack;
constexpr MixPolicy kGray = MixPolicy::kGray;

// One row an operator, in columns.
// clang-format off
constexpr OpInfo kOps[] = {
    // kind                              name                         inputs             outputs    policy   traits                 shape rule
    {OpKind::kConv,                      "Conv",                      "TTY?",            "Y",       kWhite,  kCube,                 ConvShape},
    {OpKind::kConvTranspose,             "ConvTranspose",             "TTY?",            "Y",       kWhite,  kCube,                 ConvTransposeShape},
    {OpKind::kGemm,                      "Gemm",                      "TTY?",            "Y",       kWhite,  kCube,                 GemmShape},
    {OpKind::kMatMul,                    "MatMul",                    "TT",              "Y",       kWhite,  kCube,                 MatMulShape},

    {OpKind::kAttention,                 "Attention",                 "TTTA?T?T?L?B?",   "TT?T?T?", kWhite,  kNoTraits,             AttentionShape},
    {OpKind::kEinsum,                    "Einsum",                    "T*",              "T",       kWhite,  kNoTraits,             EinsumShape},
    {OpKind::kGru,                       "GRU",                       "TTTT?I?T?",       "TT?",     kWhite,  kNoTraits,             GruShape},
    {OpKind::kLstm,                      "LSTM",                      "TTTT?I?T?T?T?",   "TT?T?",   kWhite,  kNoTraits,             LstmShape},
    {OpKind::kRnn,                       "RNN",                       "TTTT?I?T?",       "TT?",     kWhite,  kNoTraits,             RnnShape},
    {OpKind::kDet,                       "Det",                       "T",               "T",       kBlack,  kNoTraits,             DetShape},

    {OpKind::kAbs,                       "Abs",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAcos,                      "Acos",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAcosh,                     "Acosh",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAsin,                      "Asin",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAsinh,                     "Asinh",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAtan,                      "Atan",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kAtanh,                     "Atanh",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kBitwiseNot,                "BitwiseNot",                "T",               "T",       kGray,   kElementwise | kBits,  BitwiseShape},
    {OpKind::kCast,                      "Cast",                      "A",               "A",       kGray,   kElementwise,          CastShape},
    {OpKind::kCeil,                      "Ceil",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kCelu,                      "Celu",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kClip,                      "Clip",                      "TT?T?",           "T",       kGray,   kElementwise,          ClipShape},
    {OpKind::kCos,                       "Cos",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kCosh,                      "Cosh",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kElu,                       "Elu",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kErf,                       "Erf",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kExp,                       "Exp",                       "T",               "T",       kBlack,  kElementwise,          SameShape},
    {OpKind::kFloor,                     "Floor",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kGelu,                      "Gelu",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kHardSigmoid,               "HardSigmoid",               "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kHardSwish,                 "HardSwish",                 "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kIdentity,                  "Identity",                  "T",               "T",       kGray,   kMovesData | kIsView,  SameShape},
    {OpKind::kIsInf,                     "IsInf",                     "T",               "B",       kGray,   kElementwise,          BoolShape},
    {OpKind::kIsNaN,                     "IsNaN",                     "T",               "B",       kGray,   kElementwise,          BoolShape},
    {OpKind::kLeakyRelu,                 "LeakyRelu",                 "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kLog,                       "Log",                       "T",               "T",       kBlack,  kElementwise,          SameShape},
    {OpKind::kMish,                      "Mish",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kNeg,                       "Neg",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kNot,                       "Not",                       "B",               "B",       kGray,   kElementwise,          SameShape},
    {OpKind::kReciprocal,                "Reciprocal",                "T",               "T",       kBlack,  kElementwise,          SameShape},
    {OpKind::kRelu,                      "Relu",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kRound,                     "Round",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSelu,                      "Selu",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kShrink,                    "Shrink",                    "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSigmoid,                   "Sigmoid",                   "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSign,                      "Sign",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSin,                       "Sin",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSinh,                      "Sinh",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSoftplus,                  "Softplus",                  "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSoftsign,                  "Softsign",                  "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSqrt,                      "Sqrt",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kSwish,                     "Swish",                     "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kTan,                       "Tan",                       "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kTanh,                      "Tanh",                      "T",               "T",       kGray,   kElementwise,          SameShape},
    {OpKind::kThresholdedRelu,           "ThresholdedRelu",           "T",               "T",       kGray,   kElementwise,          SameShape},

    {OpKind::kAdd,                       "Add",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kSub,                       "Sub",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kMul,                       "Mul",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kDiv,                       "Div",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kPow,                       "Pow",                       "TT",              "T",       kBlack,  kElementwise,          BroadcastShape},
    {OpKind::kMax,                       "Max",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kMin,                       "Min",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kMod,                       "Mod",                       "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kPRelu,                     "PRelu",                     "TT",              "T",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kAnd,                       "And",                       "BB",              "B",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kOr,                        "Or",                        "BB",              "B",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kXor,                       "Xor",                       "BB",              "B",       kGray,   kElementwise,          BroadcastShape},
    {OpKind::kBitShift,                  "BitShift",                  "TT",              "T",       kGray,   kElementwise | kBits,  BitwiseShape},
    {OpKind::kBitwiseAnd,                "BitwiseAnd",                "TT",              "T",       kGray,   kElementwise | kBits,  BitwiseShape},
    {OpKind::kBitwiseOr,                 "BitwiseOr",                 "TT",              "T",       kGray,   kElementwise | kBits,  BitwiseShape},
    {OpKind::kBitwiseXor,                "BitwiseXor",                "TT",              "T",       kGray,   kElementwise | kBits,  BitwiseShape},
    {OpKind::kEqual,                     "Equal",                     "TT",              "B",       kGray,   kElementwise,          CompareShape},
    {OpKind::kGreater,                   "Greater",                   "TT",              "B",       kGray,   kElementwise,          CompareShape},
    {OpKind::kGreaterOrEqual,            "GreaterOrEqual",            "TT",              "B",       kGray,   kElementwise,          CompareShape},
    {OpKind::kLess,                      "Less",                      "TT",              "B",       kGray,   kElementwise,          CompareShape},
    {OpKind::kLessOrEqual,               "LessOrEqual",               "TT",              "B",       kGray,   kElementwise,          CompareShape},
    {OpKind::kWhere,                     "Where",                     "BTT",             "T",       kGray,   kElementwise,          WhereShape},

    {OpKind::kMaxPool,                   "MaxPool",                   "T",               "TL?",     kGray,   kNoTraits,             PoolShape},
    {OpKind::kMaxRoiPool,                "MaxRoiPool",                "TF",              "T",       kGray,   kNoTraits,             MaxRoiPoolShape},
    {OpKind::kAveragePool,               "AveragePool",               "T",               "T",       kGray,   kNoTraits,             PoolShape},
    {OpKind::kLpPool,                    "LpPool",                    "T",               "T",       kGray,   kNoTraits,             PoolShape},
    {OpKind::kGlobalMaxPool,             "GlobalMaxPool",             "T",               "T",       kGray,   kNoTraits,             GlobalPoolShape},
    {OpKind::kGlobalAveragePool,         "GlobalAveragePool",         "T",               "T",       kBlack,  kNoTraits,             GlobalPoolShape},
    {OpKind::kLrn,                       "LRN",                       "T",               "T",       kBlack,  kNoTraits,             SameShape},
    {OpKind::kBatchNormalization,        "BatchNormalization",        "TFFFF",           "T",       kGray,   kNoTraits,             BatchNormalizationShape},
    {OpKind::kGroupNormalization,        "GroupNormalization",        "TTT",             "T",       kBlack,  kNoTraits,             GroupNormalizationShape},
    {OpKind::kInstanceNormalization,     "InstanceNormalization",     "TFF",             "T",       kBlack,  kNoTraits,             InstanceNormalizationShape},
    {OpKind::kLayerNormalization,        "LayerNormalization",        "TTT?",            "TF?F?",   kBlack,  kNoTraits,             LayerNormalizationShape},
    {OpKind::kLpNormalization,           "LpNormalization",           "T",               "T",       kBlack,  kNoTraits,             SameShape},
    {OpKind::kMeanVarianceNormalization, "MeanVarianceNormalization", "T",               "T",       kBlack,  kNoTraits,             SameShape},
    {OpKind::kRmsNormalization,          "RMSNormalization",          "TT",              "T",       kBlack,  kNoTraits,             RmsNormalizationShape},
    {OpKind::kSoftmax,                   "Softmax",                   "TT?B?",           "T",       kBlack,  kNoTraits,             SameShape},
    {OpKind::kLogSoftmax,                "LogSoftmax",                "T",               "T",       kBlack,  kNoTraits,             SameShape},
    {OpKind::kHardmax,                   "Hardmax",                   "T",               "T",       kGray,   kNoTraits,             SameShape},

    {OpKind::kReduceSum,                 "ReduceSum",                 "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceMean,                "ReduceMean",                "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceMax,                 "ReduceMax",                 "TL?",             "T",       kGray,   kNoTraits,             ReduceShape},
    {OpKind::kReduceMin,                 "ReduceMin",                 "TL?",             "T",       kGray,   kNoTraits,             ReduceShape},
    {OpKind::kReduceProd,                "ReduceProd",                "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceL1,                  "ReduceL1",                  "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceL2,                  "ReduceL2",                  "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceSumSquare,           "ReduceSumSquare",           "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceLogSum,              "ReduceLogSum",              "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kReduceLogSumExp,           "ReduceLogSumExp",           "TL?",             "T",       kBlack,  kNoTraits,             ReduceShape},
    {OpKind::kArgMax,                    "ArgMax",                    "T",               "L",       kGray,   kNoTraits,             ArgReduceShape},
    {OpKind::kArgMin,                    "ArgMin",                    "T",               "L",       kGray,   kNoTraits,             ArgReduceShape},
    {OpKind::kCumSum,                    "CumSum",                    "TI",              "T",       kBlack,  kNoTraits,             CumSumShape},
    {OpKind::kTopK,                      "TopK",                      "TL",              "TL?",     kGray,   kNoTraits,             TopKShape},
    {OpKind::kUnique,                    "Unique",                    "A",               "LL?L?",   kGray,   kNoTraits,             UniqueShape},

    {OpKind::kGatherElements,            "GatherElements",            "TI",              "T",       kGray,   kMovesData,            GatherElementsShape},
    {OpKind::kGatherNd,                  "GatherND",                  "TL",              "T",       kGray,   kMovesData,            GatherNdShape},
    {OpKind::kRotaryEmbedding,           "RotaryEmbedding",           "TTTL?",           "T",       kGray,   kNoTraits,             RotaryEmbeddingShape},
    {OpKind::kScatterElements,           "ScatterElements",           "TIT",             "T",       kGray,   kNoTraits,             ScatterElementsShape},
    {OpKind::kScatterNd,                 "ScatterND",                 "TLT",             "T",       kGray,   kNoTraits,             ScatterNdShape},
    {OpKind::kTensorScatter,             "TensorScatter",             "TTL?",            "T",       kGray,   kMovesData,            TensorScatterShape},
    {OpKind::kNonMaxSuppression,         "NonMaxSuppression",         "FFL?F?F?",        "L",       kGray,   kNoTraits,             NonMaxSuppressionShape},
    {OpKind::kGridSample,                "GridSample",                "TF",              "T",       kGray,   kNoTraits,             GridSampleShape},
    {OpKind::kDeformConv,                "DeformConv",                "TTTT?T?",         "T",       kGray,   kNoTraits,             DeformConvShape},
    {OpKind::kRoiAlign,                  "RoiAlign",                  "TTL",             "T",       kGray,   kNoTraits,             RoiAlignShape},

    {OpKind::kCenterCropPad,             "CenterCropPad",             "TL",              "T",       kGray,   kMovesData,            CenterCropPadShape},
    {OpKind::kCol2Im,                    "Col2Im",                    "TLL",             "T",       kGray,   kNoTraits,             Col2ImShape},
    {OpKind::kCompress,                  "Compress",                  "TB",              "T",       kGray,   kMovesData,            CompressShape},
    {OpKind::kConcat,                    "Concat",                    "T*",              "T",       kGray,   kMovesData,            ConcatShape},
    {OpKind::kConstantOfShape,           "ConstantOfShape",           "L",               "A",       kGray,   kMovesData,            ConstantOfShapeShape},
    {OpKind::kDepthToSpace,              "DepthToSpace",              "T",               "T",       kGray,   kMovesData,            DepthToSpaceShape},
    {OpKind::kExpand,                    "Expand",                    "TL",              "T",       kGray,   kMovesData,            ExpandShape},
    {OpKind::kEyeLike,                   "EyeLike",                   "A",               "A",       kGray,   kNoTraits,             EyeLikeShape},
    {OpKind::kFlatten,                   "Flatten",                   "T",               "T",       kGray,   kMovesData | kIsView,  FlattenShape},
    {OpKind::kGather,                    "Gather",                    "TI",              "T",       kGray,   kMovesData,            GatherShape},
    {OpKind::kNonZero,                   "NonZero",                   "A",               "L",       kGray,   kNoTraits,             NonZeroShape},
    {OpKind::kOneHot,                    "OneHot",                    "AAT",             "T",       kGray,   kNoTraits,             OneHotShape},
    {OpKind::kPad,                       "Pad",                       "TLT?I?",          "T",       kGray,   kMovesData,            PadShape},
    {OpKind::kRange,                     "Range",                     "AAA",             "A",       kGray,   kNoTraits,             RangeShape},
    {OpKind::kReshape,                   "Reshape",                   "TL",              "T",       kGray,   kMovesData | kIsView,  ReshapeShape},
    {OpKind::kResize,                    "Resize",                    "TF?F?L?",         "T",       kGray,   kNoTraits,             ResizeShape},
    {OpKind::kReverseSequence,           "ReverseSequence",           "TL",              "T",       kGray,   kMovesData,            ReverseSequenceShape},
    {OpKind::kShape,                     "Shape",                     "A",               "L",       kGray,   kNoTraits,             ShapeOfShape},
    {OpKind::kSize,                      "Size",                      "A",               "L",       kGray,   kNoTraits,             SizeOfShape},
    {OpKind::kSlice,                     "Slice",                     "TIII?I?",         "T",       kGray,   kMovesData,            SliceShape},
    {OpKind::kSpaceToDepth,              "SpaceToDepth",              "T",               "T",       kGray,   kMovesData,            SpaceToDepthShape},
    {OpKind::kSplit,                     "Split",                     "TL?",             "T*",      kGray,   kMovesData,            SplitShape},
    {OpKind::kSqueeze,                   "Squeeze",                   "TL?",             "T",       kGray,   kMovesData | kIsView,  SqueezeShape},
    {OpKind::kTile,                      "Tile",                      "TL",              "T",       kGray,   kMovesData,            TileShape},
    {OpKind::kTranspose,                 "Transpose",                 "T",               "T",       kGray,   kMovesData,            TransposeShape},
    {OpKind::kTrilu,                     "Trilu",                     "TL?",             "T",       kGray,   kMovesData,            TriluShape},
    {OpKind::kUnsqueeze,                 "Unsqueeze",                 "TL",              "T",       kGray,   kMovesData | kIsView,  UnsqueezeShape},

    {OpKind::kMatMulInteger,               "MatMulInteger",             "QQQ?Q?",          "S",       kGray,   kQuantized,            MatMulIntegerShape},
    {OpKind::kConvInteger,                 "ConvInteger",               "QQQ?Q?",          "S",       kGray,   kQuantized,            ConvIntegerShape},
    {OpKind::kQLinearMatMul,               "QLinearMatMul",             "QFQQFQFQS?",      "Q",       kGray,   kQuantized,            QLinearMatMulShape},
    {OpKind::kQLinearConv,                 "QLinearConv",               "QFQQFQFQS?",      "Q",       kGray,   kQuantized,            QLinearConvShape},
    {OpKind::kQuantizeLinear,              "QuantizeLinear",            "FFQ?",            "Q",       kGray,   kQuantized,            QuantizeLinearShape},
    {OpKind::kDequantizeLinear,            "DequantizeLinear",          "QFQ?",            "F",       kGray,   kQuantized,            DequantizeLinearShape},
    {OpKind::kDynamicQuantizeLinear,       "DynamicQuantizeLinear",     "F",               "QFQ",     kGray,   kQuantized,            DynamicQuantizeLinearShape},
};
// clang-format on

}  // namespace

std::span<const OpInfo> AllOps() {
  return kOps;
}

const OpInfo& InfoOf(OpKind kind) {
  for (const OpInfo& info : kOps) {
    if (info.kind == kind) {
      return info;
    }
  }
  throw Error(ErrorKind::kInternal, "an operator has no row in op_table.cc");
}

const OpInfo* FindOp(std::string_view name) {
  for (const OpInfo& info : kOps) {
    if (info.name == name) {
      return &info;
    }
  }
  return nullptr;
}

DType SignatureDTypes::Of(char letter) const {
  switch (letter) {
    case 'T':
      return t;
    case 'Y':
      return y;
    case 'I':
      return index;
    case 'L':
      return DType::kInt64;
    case 'B':
      return DType::kBool;
    case 'F':
      return DType::kFloat32;
    case 'S':
      return DType::kInt32;
    case 'Q':
      return quantized;
    default:
      return other;
  }
}

std::vector<SignatureItem> ParseSignature(std::string_view signature) {
  std::vector<SignatureItem> items;
  for (const char c : signature) {
    if (c == '?') {
      items.back().optional = true;
    } else if (c == '*') {
      items.back().repeated = true;
    } else {
      items.push_back({.letter = c});
    }
  }
  return items;
}

std::optional<SignatureItem> SignatureItemAt(std::string_view signature, std::size_t index) {
  const auto items = ParseSignature(signature);
  if (index < items.size()) {
    return items[index];
  }
  if (!items.empty() && items.back().repeated) {
    return items.back();
  }
  return std::nullopt;
}

}  // namespace halftone
