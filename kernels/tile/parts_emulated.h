// Tile of floats in bfloat16 parts by AMX's product (amx_emulated.h) in plain C++, on any CPU: the
// order of sums of the tile on the instruction itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/tile/amx_emulated.h"
#include "kernels/tile/float_parts.h"
#include "kernels/tile/tile.h"
#include "src/ir/half.h"

namespace halftone {

static_assert(kAmxSteps == kPartChunk / 2);

// For each element of C and each chunk: PartProducts(kParts) in their order, each added to C by one
// instruction.
template <int kParts>
class PartsEmulated {
 public:
  static void Run(const TileArgs& args) noexcept {
    for (int first = 0; first < args.columns; first += kAmxColumns) {
      const auto* b = reinterpret_cast<const BFloat16*>(static_cast<const std::byte*>(args.b) +
                                                        first / kAmxColumns * args.panel_stride);
      const int columns = std::min(kAmxColumns, args.columns - first);
      for (int i = 0; i < args.rows; ++i) {
        const BFloat16* a = static_cast<const BFloat16*>(args.a) + 2 * i * args.lda;
        for (int j = 0; j < columns; ++j) {
          float& c = args.c[i * kAmxColumns + first + j];
          c = Sum(a, b + 2 * j, args.steps, args.accumulate ? c : 0.0F);
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kStride = 2 * kAmxColumns;         // of pairs of B
  static constexpr std::int64_t kPart = kPartChunk / 2 * kStride;  // of parts of B

  static float Sum(const BFloat16* a, const BFloat16* b, std::int64_t steps, float c) {
    for (std::int64_t step = 0; step < steps; ++step) {
      for (const PartProduct& product : PartProducts(kParts)) {
        c = AmxEmulated::AddProducts(a + product.a * kPartChunk, b + product.b * kPart, kStride,
                                     kAmxSteps, c);
      }
      a += kParts * kPartChunk;
      b += kParts * kPart;
    }
    return c;
  }
};

}  // namespace halftone
