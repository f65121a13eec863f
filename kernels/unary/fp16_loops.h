// Element-wise operators on float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include "kernels/unary/unary_run.h"
#include "src/ir/op_kind.h"

namespace halftone {

// Loop of Ceil, Clip, Floor, Reciprocal, Round or Sqrt; null for any other operator, or if the
// compiler cannot build for AVX512-FP16. Requires kIsaAvx512Fp16.
//
// Results have the bits of FindUnaryLoop() in high_precision, except for payloads of NaN. Each is
// one correctly rounded operation, for which a rounding to float32 first does no harm
// (kernels/binary/fp16_loops.h). Bounds of Clip are rounded to float16 first; as rounding is
// monotonic, this does not change results.
UnaryLoop FindFloat16UnaryLoop(OpKind op);

}  // namespace halftone
