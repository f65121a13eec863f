// Elementwise operators on float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include "kernels/unary/unary_run.h"
#include "src/ir/op_kind.h"

namespace halftone {

// Loop of Ceil, Clip, Floor, Reciprocal, Round or Sqrt; null: there is none, or the compiler cannot
// build for AVX512-FP16. Requires kIsaAvx512Fp16.
//
// The bits of FindUnaryLoop() in high_precision, but for payloads of NaN: one operation, correctly
// rounded, and rounding it to float32 first is innocuous (kernels/binary/fp16_loops.h). Bounds of
// Clip are rounded first, which changes nothing, as rounding is monotonic.
UnaryLoop FindFloat16UnaryLoop(OpKind op);

}  // namespace halftone
