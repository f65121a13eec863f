// AMX's product of unsigned and signed bytes (TDPBUSD) in plain C++, on any CPU, bit-identical to
// the instruction. Source: Intel SDM volume 2, TDPBUSD, "Operation".
//
// Each step adds four products of uint8 by int8 to each int32 element of C, modulo 2^32. Nothing
// saturates, so the order of steps does not matter.
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_tile.h"
#include "kernels/tile/amx_shape.h"

namespace halftone {

class AmxBytesEmulated {
 public:
  static void Run(const ByteTileArgs& args) noexcept {
    for (std::int64_t i = 0; i < args.rows; ++i) {
      std::int32_t* c = args.c + i * kAmxColumns;
      for (int j = 0; j < args.columns; ++j) {
        c[j] = Sum(args.a + i * args.lda, args.b + j * kBytesPerStep, args.steps,
                   args.accumulate ? c[j] : 0);
      }
    }
  }

 private:
  // Dot product of a row of A and a column of B, whose steps are a row of the panel apart.
  static std::int32_t Sum(const std::uint8_t* a, const std::int8_t* b, std::int64_t steps,
                          std::int32_t c) {
    auto sum = static_cast<std::uint32_t>(c);
    for (std::int64_t k = 0; k < steps; ++k) {
      const std::uint8_t* left = a + k * kBytesPerStep;
      const std::int8_t* right = b + k * kAmxColumns * kBytesPerStep;
      for (int e = 0; e < kBytesPerStep; ++e) {
        sum += static_cast<std::uint32_t>(left[e] * right[e]);
      }
    }
    return static_cast<std::int32_t>(sum);
  }
};

}  // namespace halftone
