// Element-wise operators of one operand: activations, roots, exponentials, rounding.
//
// The output is the input or does not overlap it. float32, float16 and bfloat16 run as vectors of
// float32 and round once; their error bounds stand in kernels/vector_math-inl.h, unary_ops-inl.h
// and trigonometry-inl.h. Integers, double and bool are served by the reference. To add an
// operator: a functor with its row in vector_loops.cc (the functor in unary_ops-inl.h where another
// family computes it too), its formula in reference.cc, and its rows in table.cc.
#pragma once

#include <memory>
#include <span>

#include "kernels/kernel_table.h"
#include "kernels/unary/unary_loop.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> UnaryKernels();

// The parameters of a call by operator, with the defaults of ONNX: Clip a = min, b = max (as far as
// they are constant); Elu and LeakyRelu a = alpha; HardSigmoid a = alpha, b = beta; Selu a = alpha,
// b = gamma; Celu, Swish and ThresholdedRelu a = alpha; Shrink a = lambd, b = bias.
UnaryParams UnaryParamsOf(const KernelQuery& query);

// Whether a Gelu has approximate="tanh". Error kModel for other values than "none" and "tanh".
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
