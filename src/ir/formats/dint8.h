// Number format dint8: integers q from -127 to 127 that stand for scale * q. Each row of a matrix
// has a scale, which is computed from its values in every run; nothing is calibrated.
//
// The kernel of a matrix product rounds its operand to this format itself
// (kernels/quantized/dynamic_product.h), so no tensor is stored in it. Results are float32.
// Constant weights have a scale for each column.
#pragma once

#include "src/ir/format_row.h"

namespace halftone {

inline constexpr FormatRow kDynamicInt8{.name = "dint8",
                                        .dtype = DType::kFloat32,
                                        .mantissa_bits = 7,
                                        .largest = 0x1.fffffep127,
                                        .scale = ScaleSource::kRow,
                                        .shown = "dynamic int8"};

}  // namespace halftone
