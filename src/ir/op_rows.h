// Rows of the operator table: one for each operator that a graph may have after import, in the
// newest opset that halftone reads (src/onnx/upgrade rewrites older ones). A row gives the
// enumerator (op_kind.h) and the entry of the table. op_table.h explains the columns.
#pragma once

// clang-format off
// kind, ONNX type, operand types, result types, policy in mixed precision, traits, shape rule
#define HALFTONE_OPERATORS(ROW) \
  /* Matrix operators ("cube" in the words of the Ascend compiler). */ \
  ROW(kConv,                      "Conv",                      "TTY?",          "Y",       kWhite, kCube,                ConvShape) \
  ROW(kConvTranspose,             "ConvTranspose",             "TTY?",          "Y",       kWhite, kCube,                ConvTransposeShape) \
  ROW(kGemm,                      "Gemm",                      "TTY?",          "Y",       kWhite, kCube,                GemmShape) \
  ROW(kMatMul,                    "MatMul",                    "TT",            "Y",       kWhite, kCube,                MatMulShape) \
  /* Made of matrix products. */ \
  ROW(kAttention,                 "Attention",                 "TTTA?T?T?L?B?", "TT?T?T?", kWhite, kNoTraits,            AttentionShape) \
  ROW(kEinsum,                    "Einsum",                    "T*",            "T",       kWhite, kNoTraits,            EinsumShape) \
  ROW(kGru,                       "GRU",                       "TTTT?I?T?",     "TT?",     kWhite, kNoTraits,            GruShape) \
  ROW(kLstm,                      "LSTM",                      "TTTT?I?T?T?T?", "TT?T?",   kWhite, kNoTraits,            LstmShape) \
  ROW(kRnn,                       "RNN",                       "TTTT?I?T?",     "TT?",     kWhite, kNoTraits,            RnnShape) \
  ROW(kDet,                       "Det",                       "T",             "T",       kBlack, kNoTraits,            DetShape) \
  /* Element-wise, one operand. */ \
  ROW(kAbs,                       "Abs",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAcos,                      "Acos",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAcosh,                     "Acosh",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAsin,                      "Asin",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAsinh,                     "Asinh",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAtan,                      "Atan",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kAtanh,                     "Atanh",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kBitwiseNot,                "BitwiseNot",                "T",             "T",       kGray,  kElementwise | kBits, BitwiseShape) \
  ROW(kCast,                      "Cast",                      "A",             "A",       kGray,  kElementwise,         CastShape) \
  ROW(kCeil,                      "Ceil",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kCelu,                      "Celu",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kClip,                      "Clip",                      "TT?T?",         "T",       kGray,  kElementwise,         ClipShape) \
  ROW(kCos,                       "Cos",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kCosh,                      "Cosh",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kElu,                       "Elu",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kErf,                       "Erf",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kExp,                       "Exp",                       "T",             "T",       kBlack, kElementwise,         SameShape) \
  ROW(kFloor,                     "Floor",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kGelu,                      "Gelu",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kHardSigmoid,               "HardSigmoid",               "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kHardSwish,                 "HardSwish",                 "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kIdentity,                  "Identity",                  "T",             "T",       kGray,  kMovesData | kIsView, SameShape) \
  ROW(kIsInf,                     "IsInf",                     "T",             "B",       kGray,  kElementwise,         BoolShape) \
  ROW(kIsNaN,                     "IsNaN",                     "T",             "B",       kGray,  kElementwise,         BoolShape) \
  ROW(kLeakyRelu,                 "LeakyRelu",                 "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kLog,                       "Log",                       "T",             "T",       kBlack, kElementwise,         SameShape) \
  ROW(kMish,                      "Mish",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kNeg,                       "Neg",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kNot,                       "Not",                       "B",             "B",       kGray,  kElementwise,         SameShape) \
  ROW(kReciprocal,                "Reciprocal",                "T",             "T",       kBlack, kElementwise,         SameShape) \
  ROW(kRelu,                      "Relu",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kRound,                     "Round",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSelu,                      "Selu",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kShrink,                    "Shrink",                    "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSigmoid,                   "Sigmoid",                   "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSign,                      "Sign",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSin,                       "Sin",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSinh,                      "Sinh",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSoftplus,                  "Softplus",                  "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSoftsign,                  "Softsign",                  "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSqrt,                      "Sqrt",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kSwish,                     "Swish",                     "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kTan,                       "Tan",                       "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kTanh,                      "Tanh",                      "T",             "T",       kGray,  kElementwise,         SameShape) \
  ROW(kThresholdedRelu,           "ThresholdedRelu",           "T",             "T",       kGray,  kElementwise,         SameShape) \
  /* Element-wise with broadcasting. */ \
  ROW(kAdd,                       "Add",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kSub,                       "Sub",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kMul,                       "Mul",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kDiv,                       "Div",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kPow,                       "Pow",                       "TT",            "T",       kBlack, kElementwise,         BroadcastShape) \
  ROW(kMax,                       "Max",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kMin,                       "Min",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kMod,                       "Mod",                       "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kPRelu,                     "PRelu",                     "TT",            "T",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kAnd,                       "And",                       "BB",            "B",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kOr,                        "Or",                        "BB",            "B",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kXor,                       "Xor",                       "BB",            "B",       kGray,  kElementwise,         BroadcastShape) \
  ROW(kBitShift,                  "BitShift",                  "TT",            "T",       kGray,  kElementwise | kBits, BitwiseShape) \
  ROW(kBitwiseAnd,                "BitwiseAnd",                "TT",            "T",       kGray,  kElementwise | kBits, BitwiseShape) \
  ROW(kBitwiseOr,                 "BitwiseOr",                 "TT",            "T",       kGray,  kElementwise | kBits, BitwiseShape) \
  ROW(kBitwiseXor,                "BitwiseXor",                "TT",            "T",       kGray,  kElementwise | kBits, BitwiseShape) \
  ROW(kEqual,                     "Equal",                     "TT",            "B",       kGray,  kElementwise,         CompareShape) \
  ROW(kGreater,                   "Greater",                   "TT",            "B",       kGray,  kElementwise,         CompareShape) \
  ROW(kGreaterOrEqual,            "GreaterOrEqual",            "TT",            "B",       kGray,  kElementwise,         CompareShape) \
  ROW(kLess,                      "Less",                      "TT",            "B",       kGray,  kElementwise,         CompareShape) \
  ROW(kLessOrEqual,               "LessOrEqual",               "TT",            "B",       kGray,  kElementwise,         CompareShape) \
  ROW(kWhere,                     "Where",                     "BTT",           "T",       kGray,  kElementwise,         WhereShape) \
  /* Windows and normalisation. */ \
  ROW(kMaxPool,                   "MaxPool",                   "T",             "TL?",     kGray,  kNoTraits,            PoolShape) \
  ROW(kMaxRoiPool,                "MaxRoiPool",                "TF",            "T",       kGray,  kNoTraits,            MaxRoiPoolShape) \
  ROW(kAveragePool,               "AveragePool",               "T",             "T",       kGray,  kNoTraits,            PoolShape) \
  ROW(kLpPool,                    "LpPool",                    "T",             "T",       kGray,  kNoTraits,            PoolShape) \
  ROW(kGlobalMaxPool,             "GlobalMaxPool",             "T",             "T",       kGray,  kNoTraits,            GlobalPoolShape) \
  ROW(kGlobalAveragePool,         "GlobalAveragePool",         "T",             "T",       kBlack, kNoTraits,            GlobalPoolShape) \
  ROW(kLrn,                       "LRN",                       "T",             "T",       kBlack, kNoTraits,            SameShape) \
  ROW(kBatchNormalization,        "BatchNormalization",        "TFFFF",         "T",       kGray,  kNoTraits,            BatchNormalizationShape) \
  ROW(kGroupNormalization,        "GroupNormalization",        "TTT",           "T",       kBlack, kNoTraits,            GroupNormalizationShape) \
  ROW(kInstanceNormalization,     "InstanceNormalization",     "TFF",           "T",       kBlack, kNoTraits,            InstanceNormalizationShape) \
  ROW(kLayerNormalization,        "LayerNormalization",        "TTT?",          "TF?F?",   kBlack, kNoTraits,            LayerNormalizationShape) \
  ROW(kLpNormalization,           "LpNormalization",           "T",             "T",       kBlack, kNoTraits,            SameShape) \
  ROW(kMeanVarianceNormalization, "MeanVarianceNormalization", "T",             "T",       kBlack, kNoTraits,            SameShape) \
  ROW(kRmsNormalization,          "RMSNormalization",          "TT",            "T",       kBlack, kNoTraits,            RmsNormalizationShape) \
  ROW(kSoftmax,                   "Softmax",                   "TT?B?",         "T",       kBlack, kNoTraits,            SameShape) \
  ROW(kLogSoftmax,                "LogSoftmax",                "T",             "T",       kBlack, kNoTraits,            SameShape) \
  ROW(kHardmax,                   "Hardmax",                   "T",             "T",       kGray,  kNoTraits,            SameShape) \
  /* Reductions. */ \
  ROW(kReduceSum,                 "ReduceSum",                 "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceMean,                "ReduceMean",                "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceMax,                 "ReduceMax",                 "TL?",           "T",       kGray,  kNoTraits,            ReduceShape) \
  ROW(kReduceMin,                 "ReduceMin",                 "TL?",           "T",       kGray,  kNoTraits,            ReduceShape) \
  ROW(kReduceProd,                "ReduceProd",                "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceL1,                  "ReduceL1",                  "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceL2,                  "ReduceL2",                  "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceSumSquare,           "ReduceSumSquare",           "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceLogSum,              "ReduceLogSum",              "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kReduceLogSumExp,           "ReduceLogSumExp",           "TL?",           "T",       kBlack, kNoTraits,            ReduceShape) \
  ROW(kArgMax,                    "ArgMax",                    "T",             "L",       kGray,  kNoTraits,            ArgReduceShape) \
  ROW(kArgMin,                    "ArgMin",                    "T",             "L",       kGray,  kNoTraits,            ArgReduceShape) \
  ROW(kCumSum,                    "CumSum",                    "TI",            "T",       kBlack, kNoTraits,            CumSumShape) \
  ROW(kTopK,                      "TopK",                      "TL",            "TL?",     kGray,  kNoTraits,            TopKShape) \
  ROW(kUnique,                    "Unique",                    "A",             "LL?L?",   kGray,  kNoTraits,            UniqueShape) \
  /* Reading and writing at positions that operands give. */ \
  ROW(kGatherElements,            "GatherElements",            "TI",            "T",       kGray,  kMovesData,           GatherElementsShape) \
  ROW(kGatherNd,                  "GatherND",                  "TL",            "T",       kGray,  kMovesData,           GatherNdShape) \
  ROW(kRotaryEmbedding,           "RotaryEmbedding",           "TTTL?",         "T",       kGray,  kNoTraits,            RotaryEmbeddingShape) \
  ROW(kScatterElements,           "ScatterElements",           "TIT",           "T",       kGray,  kNoTraits,            ScatterElementsShape) \
  ROW(kScatterNd,                 "ScatterND",                 "TLT",           "T",       kGray,  kNoTraits,            ScatterNdShape) \
  ROW(kTensorScatter,             "TensorScatter",             "TTL?",          "T",       kGray,  kMovesData,           TensorScatterShape) \
  ROW(kNonMaxSuppression,         "NonMaxSuppression",         "FFL?F?F?",      "L",       kGray,  kNoTraits,            NonMaxSuppressionShape) \
  ROW(kGridSample,                "GridSample",                "TF",            "T",       kGray,  kNoTraits,            GridSampleShape) \
  ROW(kDeformConv,                "DeformConv",                "TTTT?T?",       "T",       kGray,  kNoTraits,            DeformConvShape) \
  ROW(kRoiAlign,                  "RoiAlign",                  "TTL",           "T",       kGray,  kNoTraits,            RoiAlignShape) \
  /* Moving data. */ \
  ROW(kCenterCropPad,             "CenterCropPad",             "TL",            "T",       kGray,  kMovesData,           CenterCropPadShape) \
  ROW(kCol2Im,                    "Col2Im",                    "TLL",           "T",       kGray,  kNoTraits,            Col2ImShape) \
  ROW(kCompress,                  "Compress",                  "TB",            "T",       kGray,  kMovesData,           CompressShape) \
  ROW(kConcat,                    "Concat",                    "T*",            "T",       kGray,  kMovesData,           ConcatShape) \
  ROW(kConstantOfShape,           "ConstantOfShape",           "L",             "A",       kGray,  kMovesData,           ConstantOfShapeShape) \
  ROW(kDepthToSpace,              "DepthToSpace",              "T",             "T",       kGray,  kMovesData,           DepthToSpaceShape) \
  ROW(kExpand,                    "Expand",                    "TL",            "T",       kGray,  kMovesData,           ExpandShape) \
  ROW(kEyeLike,                   "EyeLike",                   "A",             "A",       kGray,  kNoTraits,            EyeLikeShape) \
  ROW(kFlatten,                   "Flatten",                   "T",             "T",       kGray,  kMovesData | kIsView, FlattenShape) \
  ROW(kGather,                    "Gather",                    "TI",            "T",       kGray,  kMovesData,           GatherShape) \
  ROW(kNonZero,                   "NonZero",                   "A",             "L",       kGray,  kNoTraits,            NonZeroShape) \
  ROW(kOneHot,                    "OneHot",                    "AAT",           "T",       kGray,  kNoTraits,            OneHotShape) \
  ROW(kPad,                       "Pad",                       "TLT?I?",        "T",       kGray,  kMovesData,           PadShape) \
  ROW(kRange,                     "Range",                     "AAA",           "A",       kGray,  kNoTraits,            RangeShape) \
  ROW(kReshape,                   "Reshape",                   "TL",            "T",       kGray,  kMovesData | kIsView, ReshapeShape) \
  ROW(kResize,                    "Resize",                    "TF?F?L?",       "T",       kGray,  kNoTraits,            ResizeShape) \
  ROW(kReverseSequence,           "ReverseSequence",           "TL",            "T",       kGray,  kMovesData,           ReverseSequenceShape) \
  ROW(kShape,                     "Shape",                     "A",             "L",       kGray,  kNoTraits,            ShapeOfShape) \
  ROW(kSize,                      "Size",                      "A",             "L",       kGray,  kNoTraits,            SizeOfShape) \
  ROW(kSlice,                     "Slice",                     "TIII?I?",       "T",       kGray,  kMovesData,           SliceShape) \
  ROW(kSpaceToDepth,              "SpaceToDepth",              "T",             "T",       kGray,  kMovesData,           SpaceToDepthShape) \
  ROW(kSplit,                     "Split",                     "TL?",           "T*",      kGray,  kMovesData,           SplitShape) \
  ROW(kSqueeze,                   "Squeeze",                   "TL?",           "T",       kGray,  kMovesData | kIsView, SqueezeShape) \
  ROW(kTile,                      "Tile",                      "TL",            "T",       kGray,  kMovesData,           TileShape) \
  ROW(kTranspose,                 "Transpose",                 "T",             "T",       kGray,  kMovesData,           TransposeShape) \
  ROW(kTrilu,                     "Trilu",                     "TL?",           "T",       kGray,  kMovesData,           TriluShape) \
  ROW(kUnsqueeze,                 "Unsqueeze",                 "TL",            "T",       kGray,  kMovesData | kIsView, UnsqueezeShape) \
  /* Quantised data. */ \
  ROW(kMatMulInteger,             "MatMulInteger",             "QQQ?Q?",        "S",       kGray,  kQuantized,           MatMulIntegerShape) \
  ROW(kConvInteger,               "ConvInteger",               "QQQ?Q?",        "S",       kGray,  kQuantized,           ConvIntegerShape) \
  ROW(kQLinearMatMul,             "QLinearMatMul",             "QFQQFQF?Q?S?",  "Q",       kGray,  kQuantized,           QLinearMatMulShape) \
  ROW(kQLinearConv,               "QLinearConv",               "QFQQFQF?Q?S?",  "Q",       kGray,  kQuantized,           QLinearConvShape) \
  ROW(kQLinearConvTranspose,      "QLinearConvTranspose",      "QFQQFQF?Q?S?",  "Q",       kGray,  kQuantized,           QLinearConvTransposeShape) \
  ROW(kQLinearAdd,                "QLinearAdd",                "QFQQFQFQ",      "Q",       kGray,  kQuantized,           QLinearBroadcastShape) \
  ROW(kQLinearMul,                "QLinearMul",                "QFQQFQFQ",      "Q",       kGray,  kQuantized,           QLinearBroadcastShape) \
  ROW(kQLinearConcat,             "QLinearConcat",             "FQQ*",          "Q",       kGray,  kQuantized,           QLinearConcatShape) \
  ROW(kQLinearAveragePool,        "QLinearAveragePool",        "QFQFQ",         "Q",       kGray,  kQuantized,           QLinearAveragePoolShape) \
  ROW(kQLinearGlobalAveragePool,  "QLinearGlobalAveragePool",  "QFQFQ",         "Q",       kGray,  kQuantized,           QLinearGlobalAveragePoolShape) \
  ROW(kQLinearResize,             "QLinearResize",             "QFQFQF?F?L?",   "Q",       kGray,  kQuantized,           QLinearResizeShape) \
  ROW(kQLinearLookup,             "QLinearLookup",             "QQ",            "Q",       kGray,  kQuantized,           QLinearLookupShape) \
  ROW(kDynamicMatMul,             "DynamicMatMul",             "FQFF?",         "F",       kGray,  kQuantized,           DynamicMatMulShape) \
  ROW(kQuantizeLinear,            "QuantizeLinear",            "FFQ?",          "Q",       kGray,  kQuantized,           QuantizeLinearShape) \
  ROW(kDequantizeLinear,          "DequantizeLinear",          "QFQ?",          "F",       kGray,  kQuantized,           DequantizeLinearShape) \
  ROW(kDynamicQuantizeLinear,     "DynamicQuantizeLinear",     "F",             "QFQ",     kGray,  kQuantized,           DynamicQuantizeLinearShape)
// clang-format on
