// Element-wise operators of two operands with broadcasting, comparisons, logic, and Where.
//
// The output is an operand of its shape and element size, or overlaps none. Arithmetic on float32,
// float16 and bfloat16 runs as vectors of float32 and rounds once (float32: correctly rounded).
// float16 runs as vectors of float16 on CPUs that have them, with the same results. Pow with
// exponents other than 2 and 3 runs in double, with a relative error of at most (1 + 2^-20) 2^-24
// in float32. Integers are exact modulo 2^bits; a division by zero gives 0, since ONNX leaves it
// open and a trap would end the process; a shift by the width or more gives 0. To add an operator:
// a functor and a row in vector_loops.cc or scalar_loops.cc, a case in reference.cc, rows in
// table.cc.
#pragma once

#include <memory>
#include <span>

#include "kernels/binary/binary_run.h"
#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> BinaryKernels();

// Arithmetic on float32, float16 and bfloat16 by this CPU's best instruction set; null: none.
BinaryLoop FindVectorBinaryLoop(OpKind op, DType dtype);

// Pow with any exponents, float32, float16 and bfloat16, for CPUs with AVX2 (power_loops.cc).
BinaryLoop FindPowerLoop(DType dtype);

// Variants of an operator by attribute.
struct BinaryForm {
  bool c_remainder = false;  // fmod of Mod
  bool left = false;         // direction LEFT of BitShift
};

// Error kModel for a BitShift without direction.
BinaryForm BinaryFormOf(const KernelQuery& query);

// Scalar loops: comparisons and logic, integers, bits, Mod and Pow; null: none.
BinaryLoop FindScalarBinaryLoop(OpKind op, DType dtype, BinaryForm form);

// Specification (reference.cc).
std::unique_ptr<KernelState> PrepareBinaryReference(const KernelQuery& query);
void RunBinaryReference(const KernelArgs& args) noexcept;

// Kernel of Where for elements of any dtype (where.cc).
std::unique_ptr<KernelState> PrepareWhere(const KernelQuery& query);
void RunWhere(const KernelArgs& args) noexcept;

}  // namespace halftone
