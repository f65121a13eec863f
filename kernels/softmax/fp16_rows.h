// Softmax of rows of float16 by the instructions of AVX512-FP16, without conversion.
#pragma once

#include <cstdint>

namespace halftone {

// Longest row: the reciprocal of its sum is still a normal number.
inline constexpr std::int64_t kLongestFloat16Row = 16384;

// As SoftmaxLoops::rows, of float16. Requires kIsaAvx512Fp16 and length <= kLongestFloat16Row.
//
// Error, w = 2^-11, n = length, before and after the result is stored:
//   rel k w / (1 - k w) + 2^-24 n, k = -ln y + ln n + 9, and absolute 2^-24.
// x - max rounds by w |x - max|, at most w (-ln y), weighted over the sum w ln n. An exponential
// is off by 2.3 w more: its reduced argument by half of w, the cubic by 0.28 w, its Horner steps by
// 1.5 w; in y and in the sum. Four exponentials are added in float16, 2 w, then in float32;
// reciprocal and product round by w each. Exponentials below 2^-14 are off by 2^-25, as are
// results. A row with NaN, +inf, or nothing but -inf gives NaN.
using SoftmaxRows = void (*)(const void* x, void* y, std::int64_t row_count, std::int64_t length);

// Null: the compiler cannot build for AVX512-FP16.
SoftmaxRows FindFloat16SoftmaxRows();

}  // namespace halftone
