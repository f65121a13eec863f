#include "kernels/quantized/byte_tile.h"
#include "kernels/tile/amx_product.h"

namespace halftone {

#if defined(__x86_64__)

namespace {

struct MultiplyUnsignedBySigned {
  template <int kC, int kA, int kB>
  static void Run() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kC), "i"(kA), "i"(kB));
  }
};

}  // namespace

void ByteTileAmx(const ByteTileArgs& args) noexcept {
  const TileRegisterScope scope;
  AmxProduct<MultiplyUnsignedBySigned>::Run({.rows = args.rows,
                                             .columns = args.columns,
                                             .steps = args.steps,
                                             .a = reinterpret_cast<const std::byte*>(args.a),
                                             .a_pitch = args.lda,
                                             .b = reinterpret_cast<const std::byte*>(args.b),
                                             .c = reinterpret_cast<std::byte*>(args.c),
                                             .accumulate = args.accumulate});
}

#else

void ByteTileAmx(const ByteTileArgs&) noexcept {}

#endif

}  // namespace halftone
