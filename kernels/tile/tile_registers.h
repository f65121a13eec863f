// Tile registers of AMX: their configuration, which belongs to a thread, and the instructions.
//
// A thread configures its tile registers when a range of a parallel loop first multiplies with them
// and releases them when the range ends (TileRegisterScope, which ParallelFor() opens around each
// range). So no thread holds tile state between loops, which the operating system would save at
// each switch, and no other code that configures them, as oneDNN, meets our configuration: it is
// released before oneDNN is called inside of a range, too (kernels/onednn/library.cc).
//
// Source of the configuration and of the instructions: Intel SDM volume 1, chapter 18. The
// instructions are assembler here because the compiler's macros (gcc 12) do not say that they read
// and write memory.
#pragma once

#include <cstdint>

namespace halftone {

// All eight tile registers have this shape.
inline constexpr int kTileRegisterRows = 16;
inline constexpr int kTileRegisterBytes = 64;  // of a row

struct TileRegisterState {
  int scopes = 0;  // open in this thread
  bool is_configured = false;
};

extern constinit thread_local TileRegisterState tile_register_state;

// Configures the registers of this thread unless they are. Requires kIsaAmxBf16 or kIsaAmxInt8 and
// an open scope.
void ConfigureTileRegisters() noexcept;

// Releases the registers of this thread if they are configured.
void ReleaseTileRegisters() noexcept;

// The part of a thread's work after which it releases its tile registers: the outermost scope.
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
