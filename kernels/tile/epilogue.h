// Epilogue of a matrix operator, fused by passes: an activation, and the sum with another tensor.
//
//   y = act(s + r)  or  act(s) + r      s: product and bias, r: the residual operand
//
// All of it is computed in float32 (in double by the references) before the one rounding to the
// dtype of the result. Error of y before that rounding, with E the error of s, u = 2^-24, A the
// error of the activation and L its largest slope:
//   no residual               L E + A
//   ResidualPlace::kBefore    L (E + u |s + r|) + A
//   ResidualPlace::kAfter     L E + A + u |act(s) + r|
// L is 1 for a clamp; 1 or, if it is larger, |alpha| for LeakyRelu and |slope| for PRelu; 1/4 for
// Sigmoid, alpha for HardSigmoid, 1 for Tanh, 1.13 for Gelu, 1.1 for Swish, 1.09 for Mish, 1.5 for
// HardSwish. A is 0 for a clamp and one rounding, u |act(s)|, for PRelu; for the others it is the
// error of their high_precision variant (kernels/unary/unary_ops-inl.h, vector_math-inl.h).
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
  UnaryLoop function = nullptr;    // any other activation, on float32; may run in place
  UnaryFormula formula = nullptr;  // `function` in double
  UnaryParams params;
  std::vector<float> slopes;  // PRelu: x < 0 ? slope * x : x, one per channel; empty: none
  ResidualPlace residual = ResidualPlace::kNone;

  [[nodiscard]] bool IsEmpty() const { return IsClamp() && !range.IsBounded(); }

  // True if the epilogue has nothing but the range.
  [[nodiscard]] bool IsClamp() const {
    return function == nullptr && slopes.empty() && residual == ResidualPlace::kNone;
  }

  // Slopes from `channel` on; null without slopes.
  [[nodiscard]] const float* SlopesFrom(std::int64_t channel) const {
    return slopes.empty() ? nullptr : slopes.data() + channel;
  }

  // Result in double, for the references; `r` is the element of the residual operand.
  [[nodiscard]] double Apply(double sum, double r, std::int64_t channel) const;
};

inline const Epilogue kNoEpilogue;

// Epilogue of the fusion of the query (src/ir/fusion.h) and of its residual operand. `channels`:
// channels of the result of Conv, columns of the result of Gemm and MatMul. Error kUnsupported for
// an activation that cannot be fused, for a residual operand of integers or of another dtype or
// shape than the result, and for slopes that are neither one nor `channels` numbers.
Epilogue EpilogueOf(const KernelQuery& query, std::int64_t channels);

// True if EpilogueOf() accepts the operator as Epilogue::function. Such operators are activations
// of one operand other than Relu and Clip.
bool IsFusedFunction(OpKind op);

}  // namespace halftone
