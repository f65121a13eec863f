// Tile registers of AMX: their configuration, which belongs to a thread, and the instructions.
//
// A thread configures its tile registers when a range of a parallel loop first multiplies with
// them. It releases them when the range ends (TileRegisterScope, which ParallelFor() opens around
// each range). So no thread holds tile state between loops; the operating system would save that
// state at each switch. Other code that configures the registers, such as oneDNN, never meets this
// configuration: a call of oneDNN inside a range releases it first (kernels/onednn/library.cc).
//
// Source of the configuration and of the instructions: Intel SDM volume 1, chapter 18. The
// instructions are inline assembler because the compiler's macros (gcc 12) do not declare that they
// read and write memory.
#pragma once

#include <cstdint>

namespace halftone {

// All eight tile registers have this shape.
inline constexpr int kTileRegisterRows = 16;
inline constexpr int kTileRegisterBytes = 64;  // bytes of a row

struct TileRegisterState {
  int scopes = 0;  // open in this thread
  bool is_configured = false;
};

extern constinit thread_local TileRegisterState tile_register_state;

// Configures the registers of this thread unless they are configured. Requires kIsaAmxBf16 or
// kIsaAmxInt8 and an open scope.
void ConfigureTileRegisters() noexcept;

// Releases the registers of this thread if they are configured.
void ReleaseTileRegisters() noexcept;

// Releases the tile registers of the current thread when its outermost scope ends.
class TileRegisterScope {
 public:
  TileRegisterScope() noexcept { ++tile_register_state.scopes; }

  ~TileRegisterScope() {
    if (--tile_register_state.scopes == 0 && tile_register_state.is_configured) {
      ReleaseTileRegisters();
    }
  }

  TileRegisterScope(const TileRegisterScope&) = delete;
  TileRegisterScope& operator=(const TileRegisterScope&) = delete;
};

}  // namespace halftone
