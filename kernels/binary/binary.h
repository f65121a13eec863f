// Element-wise operators of two operands with broadcasting, comparisons, logic, and Where.
//
// The output may be the memory of an operand that has its shape and element size. It overlaps no
// other operand.
//
// Arithmetic on float32, float16 and bfloat16 runs in vectors of float32 and rounds once, so that a
// float32 result is correctly rounded. On CPUs with AVX512-FP16, float16 runs in vectors of
// float16, with the same results. Pow with exponent 2 is such arithmetic; with exponent 3 it rounds
// twice in float32. With other exponents it runs in double, and is off by at most
// (1 + 2^-20) 2^-24 in float32, relative.
//
// Integers are exact modulo 2^bits. A division by zero gives 0: ONNX leaves the result open, and a
// trap would end the process. A shift by the width or more gives 0.
//
// To add an operator: a functor and a row in vector_loops.cc, or a functor and a case in
// scalar_loops.cc; a case in reference.cc; rows in table.cc.
#pragma once

#include <memory>
#include <span>

#include "kernels/binary/binary_run.h"
#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> BinaryKernels();

// Loop of arithmetic on float32, float16 or bfloat16, Mod, or Pow with exponents 2 and 3, for the
// best vectors of this CPU; null: none.
BinaryLoop FindVectorBinaryLoop(OpKind op, DType dtype);

// Loop of Pow with any exponents on float32, float16 or bfloat16 (power_loops.cc); null for CPUs
// without AVX2.
BinaryLoop FindPowerLoop(DType dtype);

// Variants of an operator that attributes choose.
struct BinaryForm {
  bool c_remainder = false;  // fmod of Mod: the remainder has the sign of the dividend
  bool left = false;         // direction LEFT of BitShift
};

// Error kModel for a BitShift without direction.
BinaryForm BinaryFormOf(const KernelQuery& query);

// Scalar loop of comparisons, logic, integer arithmetic, bit operators, Mod or Pow; null: none.
BinaryLoop FindScalarBinaryLoop(OpKind op, DType dtype, BinaryForm form);

// Specification (reference.cc).
std::unique_ptr<KernelState> PrepareBinaryReference(const KernelQuery& query);
void RunBinaryReference(const KernelArgs& args) noexcept;

// Kernel of Where for elements of any dtype (where.cc).
std::unique_ptr<KernelState> PrepareWhere(const KernelQuery& query);
void RunWhere(const KernelArgs& args) noexcept;

}  // namespace halftone
