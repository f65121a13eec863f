// Softmax of rows of float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include <cstdint>

namespace halftone {

// Longest row whose sum still has a normal number as its reciprocal.
inline constexpr std::int64_t kLongestFloat16Row = 16384;

// SoftmaxLoops::rows in float16 arithmetic. Requires kIsaAvx512Fp16 and length <=
// kLongestFloat16Row.
//
// Error of the float16 result, with w = 2^-11, n = length: rel k w / (1 - k w) + 2^-24 n, k = -ln y
// + ln n + 9, and absolute 2^-24. x - max rounds by w |x - max|, which is at most w (-ln y), and
// weighted over the sum at most w ln n. An exponential adds 2.3 w, in y and in the sum: half of w
// by its reduced argument, 0.28 w by the cubic, 1.5 w by the Horner steps. Sums of four
// exponentials in float16 add 2 w; sums in float32 follow. Reciprocal and product add w each.
// Exponentials and results below 2^-14 have an error of 2^-25. A row with NaN, +inf, or nothing but
// -inf gives NaN.
using SoftmaxRows = void (*)(const void* x, void* y, std::int64_t row_count, std::int64_t length);

// The loop; null if the compiler cannot build for AVX512-FP16.
SoftmaxRows FindFloat16SoftmaxRows();

}  // namespace halftone
