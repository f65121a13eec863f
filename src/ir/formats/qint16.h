// 16-bit integers with a scale: values scale * (q - zero_point) of a tensor, q from 0 to 65535.
// Scale and zero point of each tensor stand in the quantisation of the plan (src/quantization).
//
// No kernel computes on such integers: operators compute in float32 between them, with constants
// rounded to 16 bits (src/exec/rounded_constants.h). No target searches it by itself.
#pragma once

#include "src/ir/format_row.h"

namespace halftone {

inline constexpr FormatRow kQInt16{.name = "qint16",
                                   .dtype = DType::kFloat32,
                                   .mantissa_bits = 15,
                                   .largest = 0x1.fffffep127,
                                   .scale = ScaleSource::kTensor,
                                   .shown = "int16",
                                   .stored = DType::kUInt16};

}  // namespace halftone
