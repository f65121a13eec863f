// Number format qint16: integers q from 0 to 65535 that stand for scale * (q - zero_point). The
// quantisation of the plan holds scale and zero point of each tensor (src/quantization).
//
// No kernel computes on these integers. Operands and results are rounded to the format, and
// operators compute in float32 between them, with constants rounded to 16 bits
// (src/exec/rounded_constants.h). No target lists the format in TargetSpec::formats.
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
