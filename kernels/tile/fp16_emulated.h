// The product of tile_fp16.h in plain C++, on any CPU, bit-identical except for the payload of NaN.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/tile/emulated_tile.h"
#include "kernels/tile/float16_sums.h"
#include "kernels/tile/tile.h"
#include "src/ir/half.h"

namespace halftone {

// Rounds `value` to nearest even to float16 and returns it as a double. Small results are subnormal
// numbers of float16; results from 65520 on are infinite. `value` must be infinite, NaN or below
// 2^57 in magnitude.
//
// Adding and subtracting 1.5 * 2^52 units in the last place rounds to whole units, because the sum
// has no lower bits.
inline double RoundedToFloat16(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const int of_range = exponent < -14 ? -14 : exponent > 16 ? 16 : exponent;
  const auto units = static_cast<std::uint64_t>(of_range - 10 + 52 + 1023) << 52;
  const double large = 1.5 * std::bit_cast<double>(units);
  const double rounded = std::abs((value + large) - large);
  if (rounded > 65504) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return std::copysign(rounded, value);
}

// a * b + c, rounded once, as by VFMADD231PH with the MXCSR that programs start with (Intel SDM
// volume 2). Operands and result are values of float16.
//
// The product has 22 bits and is exact in double. The sum may not be exact: without overflow it is
// below 2^16 in multiples of 2^-48, up to 64 bits. If the sum is not exact, c, a multiple of 2^-24,
// is at least 2^5, and the product is less than 2^-29 c, so that the result is c either way. So the
// rounding to double does no harm.
inline double Float16MultiplyAdd(double a, double b, double c) {
  return RoundedToFloat16(a * b + c);
}

// a + b, rounded once, as by VADDPH: the sum is exact in double.
inline double Float16Sum(double a, double b) {
  return RoundedToFloat16(a + b);
}

class Float16Emulated {
 public:
  static void Run(const TileArgs& args) noexcept {
    EmulateTile<Float16, kTileColumns>(
        args, [&](const Float16* a, const Float16* b, std::int64_t steps, float c) {
          return Dot(a, b, steps, args.accumulate, c);
        });
  }

 private:
  static constexpr Float16Sums kSums = kFastFloat16Sums;

  // Dot product of a row of A and a column of B, whose pairs are a row of the panel apart.
  static float Dot(const Float16* a, const Float16* b, std::int64_t steps, bool accumulate,
                   float c) {
    std::int64_t k = 0;
    do {
      const float sum =
          Both(a + 2 * k, b + 2 * k * kTileColumns, std::min(steps - k, kSums.steps()));
      c = accumulate || k > 0 ? c + sum : sum;
      k += kSums.steps();
    } while (k < steps);
    return c;
  }

  static float Both(const Float16* a, const Float16* b, std::int64_t steps) {
    return static_cast<float>(Chains(a, b, steps)) +
           static_cast<float>(Chains(a + 1, b + 1, steps));
  }

  static double Chains(const Float16* a, const Float16* b, std::int64_t steps) {
    double total = 0;
    for (std::int64_t first = 0; first < steps; first += kSums.chain) {
      double sum = 0;
      for (std::int64_t k = first; k < std::min(first + kSums.chain, steps); ++k) {
        sum = Float16MultiplyAdd(a[2 * k].ToFloat(), b[2 * k * kTileColumns].ToFloat(), sum);
      }
      total = Float16Sum(total, sum);
    }
    return total;
  }
};

}  // namespace halftone
