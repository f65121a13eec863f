// Kernel benches of quantised products: uint8 by int8 to uint8, a scale for each column.
#pragma once

#include <string>

#include "bench/kernel_bench.h"

namespace halftone {

// The int8 product or convolution of `a` by `b` with `columns` results a row.
KernelBench QuantizedBench(std::string name, OpKind op, const Shape& a, const Shape& b,
                           std::int64_t columns);

}  // namespace halftone
