// Operators after import: the forms of the newest opset halftone reads (older forms are rewritten
// by src/onnx/upgrade). One enumerator here, one row in op_table.cc.
#pragma once

#include <cstdint>

namespace halftone {

enum class OpKind : std::uint8_t {
  // Matrix operators ("cube" in the words of the Ascend compiler).
  kConv, kGemm, kMatMul,
  // Element-wise, one operand.
  kAbs, kCast, kCeil, kClip, kCos, kElu, kErf, kExp, kFloor, kGelu, kHardSigmoid, kHardSwish,
  kIdentity, kLeakyRelu, kLog, kMish, kNeg, kNot, kReciprocal, kRelu, kRound, kSelu, kSigmoid, kSign,
  kSin, kSoftplus, kSoftsign, kSqrt, kTanh,
  // Element-wise with broadcasting.
  kAdd, kSub, kMul, kDiv, kPow, kMax, kMin, kMod, kPRelu, kAnd, kOr, kXor, kEqual, kGreater,
  kGreaterOrEqual, kLess, kLessOrEqual, kWhere,
  // Windows and normalisation.
  kMaxPool, kAveragePool, kGlobalMaxPool, kGlobalAveragePool, kLrn, kBatchNormalization,
  kInstanceNormalization, kLayerNormalization, kSoftmax, kLogSoftmax,
  // Reductions.
  kReduceSum, kReduceMean, kReduceMax, kReduceMin, kReduceProd, kReduceL1, kReduceL2,
  kReduceSumSquare, kArgMax,
  // Moving data.
  kConcat, kConstantOfShape, kDepthToSpace, kExpand, kFlatten, kGather, kPad, kRange, kReshape,
  kResize, kShape, kSize, kSlice, kSplit, kSqueeze, kTile, kTranspose, kUnsqueeze,
};

}  // namespace halftone
