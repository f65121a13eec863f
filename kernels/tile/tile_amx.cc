#include "kernels/tile/tile_amx.h"

#include <algorithm>
#include <cstddef>

#include "kernels/tile/amx_product.h"

namespace halftone {

#if defined(__x86_64__)

void TileAmxBf16(const TileArgs& args) noexcept {
  const TileRegisterScope scope;
  for (int first = 0; first < args.columns; first += kAmxColumns) {
    AmxProduct<AmxMultiplyBf16>::Run(
        {.rows = args.rows,
         .columns = std::min(kAmxColumns, args.columns - first),
         .steps = args.steps,
         .a = static_cast<const std::byte*>(args.a),
         .a_pitch = args.lda * 4,
         .b = static_cast<const std::byte*>(args.b) + first / kAmxColumns * args.panel_stride,
         .c = reinterpret_cast<std::byte*>(args.c + first),
         .accumulate = args.accumulate});
  }
}

#else

void TileAmxBf16(const TileArgs&) noexcept {}

#endif

}  // namespace halftone
