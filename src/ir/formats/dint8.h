// 8-bit integers with a scale for each row of a matrix, taken from its values in every run: real =
// scale * q, q from -127 to 127. The kernel of a matrix product rounds its operand to this format
// itself (kernels/quantized/dynamic_product.h), so no tensor is stored in it, nothing has to be
// calibrated, and results are float32. Constant weights have a scale for each column.
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
