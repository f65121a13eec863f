// 8-bit integers with a scale: values scale * (q - zero_point) of a tensor, q from 0 to 255. Scale
// and zero point of each tensor stand in the quantisation of the plan (src/quantization).
//
// Plans treat such a tensor as float32 that holds few values; lowering stores its integers
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
