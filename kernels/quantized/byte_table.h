// Tables of QLinearLookup: any function of one quantised tensor, evaluated at each of its 256
// bytes.
#pragma once

#include <functional>
#include <span>

#include "kernels/quantized/byte_scale.h"
#include "src/ir/tensor.h"

namespace halftone {

// The real number that each byte stands for, by the byte seen as unsigned (int8: -1 is at 255):
// fl((q - zero_point) * scale), as DequantizeLinear gives it. Float32, shape [256].
Tensor ByteValues(const ByteScale& x);

// The table of results `values` (256 numbers by bytes of x): saturate(rint(fl(value / y.scale)) +
// y.zero_point), as QuantizeLinear gives it. Type y.dtype, shape [256].
Tensor MakeByteTable(std::span<const float> values, const ByteScale& y);

// The table of DequantizeLinear, `function` and QuantizeLinear.
Tensor MakeByteTable(const std::function<float(float)>& function, const ByteScale& x,
                     const ByteScale& y);

}  // namespace halftone
