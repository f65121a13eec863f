// Arithmetic on float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include "kernels/binary/binary_run.h"
#include "src/ir/op_kind.h"

namespace halftone {

// Loop of Add, Sub, Mul, Div, Max, Min or PRelu; null for other operators, and if the compiler
// cannot build for AVX512-FP16. Requires kIsaAvx512Fp16.
//
// Results have the bits of FindVectorBinaryLoop(), except for the payload of NaN. Each result is
// one operation, correctly rounded. FindVectorBinaryLoop() rounds to float32 first, which does not
// change the result: float32 has 24 bits, twice the 11 bits of float16 plus two (Figueroa, "When
// is double rounding innocuous?", 1995).
BinaryLoop FindFloat16Loop(OpKind op);

}  // namespace halftone
