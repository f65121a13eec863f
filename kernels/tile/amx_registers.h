// Instructions on the tile registers of AMX, and operands that are shorter than a register.
#pragma once

#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/tile/amx_shape.h"
#include "kernels/tile/tile.h"
#include "kernels/tile/tile_registers.h"

namespace halftone {

struct AmxOperands {
  int rows = 0;     // 1 to kAmxRows
  int columns = 0;  // 1 to kAmxColumns
  std::int64_t steps = 0;
  const std::byte* a = nullptr;
  std::int64_t a_pitch = 0;      // bytes between rows of A, each of `steps` words
  const std::byte* b = nullptr;  // rows of kAmxColumns words, one a step
  std::byte* c = nullptr;        // rows of kAmxColumns words
  bool accumulate = false;
};

// Calls multiply(AmxOperands) for each panel of a tile call.
template <typename Multiply>
void ForEachAmxPanel(const TileArgs& args, const Multiply& multiply) {
  for (int first = 0; first < args.columns; first += kAmxColumns) {
    multiply(AmxOperands{
        .rows = args.rows,
        .columns = std::min(kAmxColumns, args.columns - first),
        .steps = args.steps,
        .a = static_cast<const std::byte*>(args.a),
        .a_pitch = args.lda * 4,
        .b = static_cast<const std::byte*>(args.b) + first / kAmxColumns * args.panel_stride,
        .c = reinterpret_cast<std::byte*>(args.c + first),
        .accumulate = args.accumulate});
  }
}

inline constexpr std::int64_t kAmxPitch =
    std::int64_t{4} * kAmxColumns;  // bytes between rows of B and C

// Base of the products on AMX.
class AmxRegisters {
 protected:
  static constexpr int kHalf = kTileRegisterRows;
  static constexpr std::int64_t kBytes = kTileRegisterBytes;

  template <int kTile>
  static void Load(const std::byte* from, std::int64_t pitch) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(pitch), "i"(kTile) : "memory");
  }

  template <int kTile>
  static void Store(std::byte* to, std::int64_t pitch) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(pitch), "i"(kTile) : "memory");
  }

  template <int kTile>
  static void Clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }

  // Rows of an operand, as a register reads them. An operand with fewer rows or bytes than a
  // register is copied and padded with zeros.
  class Rows {
   public:
    // `least_bytes`: number of bytes of the shortest load that follows.
    Rows(const std::byte* first, std::int64_t pitch, int rows, std::int64_t least_bytes)
        : first_(first), pitch_(pitch), rows_(rows) {
      if (rows > 0 && (rows < kTileRegisterRows || least_bytes < kBytes)) {
        std::memset(copy_, 0, sizeof copy_);
      }
    }

    // Loads `bytes` bytes of each row from `offset` on into register kTile.
    template <int kTile>
    void LoadTo(std::int64_t offset, std::int64_t bytes) {
      if (rows_ == kTileRegisterRows && bytes == kBytes) {
        Load<kTile>(first_ + offset, pitch_);
        return;
      }
      for (int i = 0; i < rows_; ++i) {
        std::byte* const to = copy_ + i * kBytes;
        std::memcpy(to, first_ + i * pitch_ + offset, static_cast<std::size_t>(bytes));
        std::memset(to + bytes, 0, static_cast<std::size_t>(kBytes - bytes));
      }
      Load<kTile>(copy_, kBytes);
    }

   private:
    const std::byte* first_;
    std::int64_t pitch_;
    int rows_;
    alignas(64) std::byte copy_[kTileRegisterRows * kTileRegisterBytes];
  };

  template <int kTile>
  static void LoadSums(const AmxOperands& p, int rows, const std::byte* c) {
    if (p.accumulate) {
      Rows(c, kAmxPitch, rows, kBytes).template LoadTo<kTile>(0, kBytes);
    } else {
      Clear<kTile>();
    }
  }

  template <int kTile>
  static void StoreSums(int rows, std::byte* c) {
    if (rows == kTileRegisterRows) {
      Store<kTile>(c, kAmxPitch);
      return;
    }
    alignas(64) std::byte copy[kTileRegisterRows * kTileRegisterBytes];
    Store<kTile>(copy, kBytes);
    for (int i = 0; i < rows; ++i) {
      std::memcpy(c + i * kAmxPitch, copy + i * kBytes, kBytes);
    }
  }
};

// The instruction of bfloat16 pairs: adds the product of registers a and b to c.
struct AmxMultiplyBf16 {
  template <int kC, int kA, int kB>
  static void Run() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kC), "i"(kA), "i"(kB));
  }
};

}  // namespace halftone

#endif
