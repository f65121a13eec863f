// Epilogue of a matrix operator, fused by passes: an activation, and the sum with another tensor.
//
//   y = act(s + r)  or  act(s) + r      s: product and bias, r: the residual operand
//
// Everything is computed in fp32 (in double by the references) before the one rounding to the type
// of the result. Error, with E that of s, u = 2^-24 and L the largest slope of the activation:
//   before  L (E + u |s + r|) + error of the activation
//   after   L E + error of the activation + u |act(s) + r|
// L is 1 for a clamp, LeakyRelu and PRelu (|alpha|, |slope| where that is larger), 1/4 Sigmoid,
// alpha HardSigmoid, 1 Tanh, 1.13 Gelu, 1.1 Swish, 1.09 Mish, 1.5 HardSwish; a clamp has no error
// of its own, PRelu one rounding, u |act(s)|, the others that of their high_precision form
// (kernels/unary/unary_ops-inl.h, vector_math-inl.h).
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

  // Whether it has nothing but the range.
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

// The epilogue from the fusion (src/ir/fusion.h) and the residual operand. Error kUnsupported for
// an activation that is not fused, for a residual that has another type than the result, or is of
// integers, and for slopes that are neither one nor one per channel of `channels`: those of the
// result of Conv, the columns of Gemm and MatMul.
Epilogue EpilogueOf(const KernelQuery& query, std::int64_t channels);

// Whether EpilogueOf() takes the operator as a function: one operand, not Relu, Clip or PRelu.
bool IsFusedFunction(OpKind op);

}  // namespace halftone
