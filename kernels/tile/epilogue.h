// Epilogue of a matrix operator, fused by passes: an activation, and the sum with another tensor.
//
//   y = act(s + r)  or  act(s) + r      s: product and bias, r: the residual operand
//
// Everything is computed in fp32 (in double by the references) before the one rounding to the type
// of the result. Error, with E the error of s, u = 2^-24 and L the largest slope of the activation:
//   before  L (E + u |s + r|) + error of the activation
//   after   L E + error of the activation + u |act(s) + r|
// L is 1 for a clamp, LeakyRelu and PRelu (|alpha| or |slope| if that is larger), 1/4 for Sigmoid,
// alpha for HardSigmoid, 1 for Tanh, 1.13 for Gelu, 1.1 for Swish, 1.09 for Mish, 1.5 for
// HardSwish. The error of the activation is 0 for a clamp, one rounding u |act(s)| for PRelu, and
// for the others that of their high_precision variant (kernels/unary/unary_ops-inl.h,
// vector_math-inl.h).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/unary/unary_loop.h"
#include "src/ir/fusion.h"

namespace halftone {

// y = min(max(x, low), high); NaN stays NaN.
struct ActivationRange {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  // Comparisons with NaN are false, so that NaN passes.
  template <typename T>
  [[nodiscard]] T Apply(T value) const {
    const T at_least = value < static_cast<T>(low) ? static_cast<T>(low) : value;
    return at_least > static_cast<T>(high) ? static_cast<T>(high) : at_least;
  }

  // False for a range without bounds.
  [[nodiscard]] bool IsBounded() const;
};

struct Epilogue {
  ActivationRange range;           // Relu and Clip
  UnaryLoop function = nullptr;    // any other activation: float32, may work in place
  UnaryFormula formula = nullptr;  // `function` in double
  UnaryParams params;
  std::vector<float> slopes;  // PRelu: x < 0 ? slope x : x, one per channel; empty: none
  ResidualPlace residual = ResidualPlace::kNone;

  [[nodiscard]] bool IsEmpty() const { return IsClamp() && !range.IsBounded(); }

  // True if the epilogue is at most the range.
  [[nodiscard]] bool IsClamp() const {
    return function == nullptr && slopes.empty() && residual == ResidualPlace::kNone;
  }

  // Slopes from `channel` on; null without slopes.
  [[nodiscard]] const float* SlopesFrom(std::int64_t channel) const {
    return slopes.empty() ? nullptr : slopes.data() + channel;
  }

  // y in double, for the references; `r` is the element of the residual operand.
  [[nodiscard]] double Apply(double sum, double r, std::int64_t channel) const;
};

inline const Epilogue kNoEpilogue;

// The epilogue from the fusion (src/ir/fusion.h) and the residual operand. `channels`: channels of
// the result of Conv, columns of the result of Gemm and MatMul. Error kUnsupported for an
// activation that cannot be fused, for a residual of integers or of another type than the result,
// and for slopes that are neither one nor `channels` numbers.
Epilogue EpilogueOf(const KernelQuery& query, std::int64_t channels);

// True if EpilogueOf() takes the operator as Epilogue::function: an activation of one operand other
// than Relu, Clip and PRelu.
bool IsFusedFunction(OpKind op);

}  // namespace halftone
