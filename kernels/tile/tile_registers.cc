#include "kernels/tile/tile_registers.h"

namespace halftone {

constinit thread_local TileRegisterState tile_register_state;

#if defined(__x86_64__)

namespace {

// Memory operand of LDTILECFG.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

static_assert(sizeof(TileConfiguration) == 64);

constexpr TileConfiguration kConfiguration = [] {
  TileConfiguration configuration;
  for (int tile = 0; tile < 8; ++tile) {
    configuration.row_bytes[tile] = kTileRegisterBytes;
    configuration.rows[tile] = kTileRegisterRows;
  }
  return configuration;
}();

}  // namespace

void ConfigureTileRegisters() noexcept {
  if (!tile_register_state.is_configured) {
    asm volatile("ldtilecfg %0" : : "m"(kConfiguration));
    tile_register_state.is_configured = true;
  }
}

void ReleaseTileRegisters() noexcept {
  if (tile_register_state.is_configured) {
    asm volatile("tilerelease");
    tile_register_state.is_configured = false;
  }
}

#else

void ConfigureTileRegisters() noexcept {}

void ReleaseTileRegisters() noexcept {}

#endif

}  // namespace halftone
