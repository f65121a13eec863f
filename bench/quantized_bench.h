// Kernel benches of quantised products: uint8 by int8 to uint8, with a weight scale for each
// column; and float32 rows by int8.
#pragma once

#include <string>

#include "bench/kernel_bench.h"

namespace halftone {

// Bench of the quantised product or convolution `op` of `a` by `b`, with `columns` results a row.
// The caller sets the result shape, the operations, the attributes and the layout.
KernelBench QuantizedBench(std::string name, OpKind op, const Shape& a, const Shape& b,
                           std::int64_t columns);

// Bench of float32 rows by int8 weights, [m, k] by [k, n] to float32. The kernel quantises each row
// in the run.
KernelBench DynamicBench(std::string name, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace halftone
