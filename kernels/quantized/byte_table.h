// Tables of QLinearLookup, which hold any function of one quantised tensor, evaluated at each of
// its 256 bytes.
#pragma once

#include <functional>
#include <span>

#include "kernels/quantized/byte_scale.h"
#include "src/ir/tensor.h"

namespace halftone {

// Real number fl((q - zero_point) * scale) of each byte, as DequantizeLinear gives it. float32,
// shape [256]. The index is the byte seen as unsigned (int8: -1 is at 255).
Tensor ByteValues(const ByteScale& x);

// Table of the results `values`, 256 numbers indexed by the byte of x, as bytes of y:
// saturate(rint(fl(value / y.scale)) + y.zero_point), as in QuantizeLinear. Type y.dtype, shape
// [256].
Tensor MakeByteTable(std::span<const float> values, const ByteScale& y);

// Table that dequantises each byte of x, applies `function` and quantises the result to y.
Tensor MakeByteTable(const std::function<float(float)>& function, const ByteScale& x,
                     const ByteScale& y);

}  // namespace halftone
