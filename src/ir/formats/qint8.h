// Number format qint8: integers q from 0 to 255 that stand for scale * (q - zero_point). The
// quantisation of the plan holds scale and zero point of each tensor (src/quantization).
//
// In a plan, such a tensor is float32 with few different values; lowering stores its integers
// (src/exec/integer_steps.h).
#pragma once

#include "src/ir/format_row.h"

namespace halftone {

inline constexpr FormatRow kQInt8{.name = "qint8",
                                  .dtype = DType::kFloat32,
                                  .mantissa_bits = 7,
                                  .largest = 0x1.fffffep127,
                                  .scale = ScaleSource::kTensor,
                                  .shown = "int8"};

}  // namespace halftone
