// Kernel benches of quantised products: uint8 by int8 to uint8, a scale for each column.
#pragma once

#include <string>

#include "bench/kernel_bench.h"

namespace halftone {

// The int8 product or convolution of `a` by `b` with `columns` results a row.
KernelBench QuantizedBench(std::string name, OpKind op, const Shape& a, const Shape& b,
                           std::int64_t columns);

// Float32 rows by int8 weights, each row quantised in the run: [m, k] by [k, n] to float32.
KernelBench DynamicBench(std::string name, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace halftone
