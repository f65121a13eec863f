// Tile of floats in bfloat16 parts, in plain C++ for any CPU, on the emulated product of AMX
// (amx_emulated.h). The order of sums is that of the tile on the instruction.
#pragma once

#include <cstdint>

#include "kernels/tile/amx_emulated.h"
#include "kernels/tile/emulated_tile.h"
#include "kernels/tile/float_parts.h"
#include "kernels/tile/tile.h"
#include "src/ir/half.h"

namespace halftone {

static_assert(kAmxSteps == kPartChunk / 2);

// For each element of C and each chunk, adds PartProducts(kParts) to C in their order, each as one
// instruction of AMX adds it.
template <int kParts>
class PartsEmulated {
 public:
  static void Run(const TileArgs& args) noexcept { EmulateTile<BFloat16, kAmxColumns>(args, Sum); }

 private:
  static constexpr std::int64_t kStride =
      std::int64_t{2} * kAmxColumns;                               // elements between pairs of B
  static constexpr std::int64_t kPart = kPartChunk / 2 * kStride;  // elements between parts of B

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
