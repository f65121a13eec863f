#include "kernels/tile/tile_amx.h"

#include "kernels/tile/amx_product.h"

namespace halftone {

#if defined(__x86_64__)

void TileAmxBf16(const TileArgs& args) noexcept {
  const TileRegisterScope scope;
  ForEachAmxPanel(args, AmxProduct<AmxMultiplyBf16>::Run);
}

#else

void TileAmxBf16(const TileArgs&) noexcept {}

#endif

}  // namespace halftone
