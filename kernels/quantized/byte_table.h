// Tables of QLinearLookup: any function of one quantised tensor, evaluated at each of its 256
// bytes.
#pragma once

#include <functional>
#include <span>

#include "kernels/quantized/byte_scale.h"
#include "src/ir/tensor.h"

namespace halftone {

// The real number of each byte, at the index of the byte seen as unsigned (int8: -1 is at 255):
// fl((q - zero_point) * scale), as in DequantizeLinear. float32, shape [256].
Tensor ByteValues(const ByteScale& x);

// The table of the results `values` (256 numbers, by bytes of x) as bytes of y:
// saturate(rint(fl(value / y.scale)) + y.zero_point), as in QuantizeLinear. Type y.dtype, shape
// [256].
Tensor MakeByteTable(std::span<const float> values, const ByteScale& y);

// The table of `function` between DequantizeLinear and QuantizeLinear.
Tensor MakeByteTable(const std::function<float(float)>& function, const ByteScale& x,
                     const ByteScale& y);

}  // namespace halftone
