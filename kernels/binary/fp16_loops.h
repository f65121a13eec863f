// Arithmetic on float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include "kernels/binary/binary_run.h"
#include "src/ir/op_kind.h"

namespace halftone {

// Loop of Add, Sub, Mul, Div, Max, Min or PRelu; null: there is none, or the compiler cannot build
// for AVX512-FP16. Requires kIsaAvx512Fp16.
//
// The bits of FindVectorBinaryLoop(), but for payloads of NaN: one operation, correctly rounded.
// Rounding it to float32 first is innocuous, as float32 has 24 bits, twice those of float16 and two
// (Figueroa, "When is double rounding innocuous?", 1995).
BinaryLoop FindFloat16Loop(OpKind op);

}  // namespace halftone
