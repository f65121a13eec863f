// Element-wise operators of one operand: activations, roots, exponentials, rounding.
//
// The output is the input or does not overlap it. float32, float16 and bfloat16 run as vectors of
// float32 and round once; their error bounds are in kernels/vector_math-inl.h, unary_ops-inl.h and
// trigonometry-inl.h. Other dtypes are left to the reference. A new operator needs a functor with
// its row in vector_loops.cc (in unary_ops-inl.h if another family also uses the functor), its
// formula in reference.cc, and its rows in table.cc.
#pragma once

#include <memory>
#include <span>

#include "kernels/kernel_table.h"
#include "kernels/unary/unary_loop.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> UnaryKernels();

// The parameters of a call by operator, with the defaults of ONNX: Clip a = min, b = max (if
// constant); Elu and LeakyRelu a = alpha; HardSigmoid a = alpha, b = beta; Selu a = alpha, b =
// gamma; Celu, Swish and ThresholdedRelu a = alpha; Shrink a = lambd, b = bias.
UnaryParams UnaryParamsOf(const KernelQuery& query);

// True for a Gelu with approximate="tanh". Error kModel for values other than "none" and "tanh".
bool IsTanhForm(const KernelQuery& query);

// Formula of the specification; null for an operator of another family.
UnaryFormula UnaryFormulaOf(const KernelQuery& query);

// Operands of Clip that are known only at run time.
struct RunTimeBounds {
  bool has_min = false;
  bool has_max = false;
  DType dtype = DType::kFloat32;
};

RunTimeBounds RunTimeBoundsOf(const KernelQuery& query);

// Specification (reference.cc).
std::unique_ptr<KernelState> PrepareUnaryReference(const KernelQuery& query);
void RunUnaryReference(const KernelArgs& args) noexcept;

}  // namespace halftone
