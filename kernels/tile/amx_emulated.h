// AMX's product of bfloat16 pairs (TDPBF16PS) in plain C++, on any CPU, bit-identical to the
// instruction. Source: Intel SDM volume 2, TDPBF16PS, "Operation".
//
// For each element of C and each 16 steps, fused multiply-adds from zero sum the even and the odd
// elements of the pairs separately. The two sums are added to each other, and their sum is added to
// C. Every operand and every result below 2^-126 (after rounding to 24 bits) counts as zero, with
// its sign. Zeros fill an incomplete group of steps at the end, as in TileAmxBf16().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/tile/amx_shape.h"
#include "kernels/tile/emulated_tile.h"
#include "kernels/tile/tile.h"
#include "src/ir/half.h"

namespace halftone {

class AmxEmulated {
 public:
  static void Run(const TileArgs& args) noexcept { EmulateTile<BFloat16, kAmxColumns>(args, Sum); }

  // One instruction for one element of C: adds to c the products of `steps` pairs (at most
  // kAmxSteps) of a row of A and a column of B. The pairs of B are `stride` elements apart. Missing
  // steps count as zeros.
  static float AddProducts(const BFloat16* a, const BFloat16* b, std::int64_t stride,
                           std::int64_t steps, float c) {
    float even = 0;
    float odd = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
      even = MultiplyAdd(a[2 * k], b[k * stride], even);
      odd = MultiplyAdd(a[2 * k + 1], b[k * stride + 1], odd);
    }
    if (steps < kAmxSteps) {
      even = MultiplyAdd(BFloat16{}, BFloat16{}, even);
      odd = MultiplyAdd(BFloat16{}, BFloat16{}, odd);
    }
    return Add(Operand(c), Add(even, odd));
  }

 private:
  static float Operand(float x) {
    return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
  }

  // Rounds `x`, a sum of two numbers of at most 24 bits that was already rounded to double. The two
  // roundings give the same float as one. A sum less than half a unit of 24 bits below 2^-126
  // rounds up to 2^-126, so it is not flushed.
  static float Result(double x) {
    constexpr double kLeast = 0x1p-126 - 0x1p-151;
    const auto rounded = static_cast<float>(x);
    return std::abs(x) < kLeast ? std::copysign(0.0F, rounded) : rounded;
  }

  // A product of two bfloat16 is exact in double.
  static float MultiplyAdd(BFloat16 a, BFloat16 b, float sum) {
    return Result(double{Operand(a.ToFloat())} * double{Operand(b.ToFloat())} + double{sum});
  }

  static float Add(float a, float b) { return Result(double{a} + double{b}); }

  // Dot product of a row of A and a column of B, whose pairs are a row of the panel apart.
  static float Sum(const BFloat16* a, const BFloat16* b, std::int64_t steps, float c) {
    constexpr std::int64_t kStride = std::int64_t{2} * kAmxColumns;
    for (std::int64_t first = 0; first < steps; first += kAmxSteps) {
      c = AddProducts(a + 2 * first, b + first * kStride, kStride,
                      std::min(kAmxSteps, steps - first), c);
    }
    return c;
  }
};

}  // namespace halftone
