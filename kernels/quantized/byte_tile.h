// Call of a register tile of quantised products: C[rows x columns] (+)= A * B in int32.
// byte_tiles.h lists the tiles.
//
// A is row-major uint8; B int8 in panels as wide as the tile (byte_panels.h) with 4 consecutive
// elements of each column per step. Signed A and unsigned B are shifted by 128 first, which the
// zero point corrects. Sums are exact modulo 2^32, so any order gives the same. Rows of A and
// columns of B beyond the matrix are never read as results.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/component.h"
#include "kernels/cpu_isa.h"
#include "kernels/tile/tile.h"

namespace halftone {

inline constexpr std::int64_t kBytesPerStep = 4;

// Shape of the tiles in vector registers; code for any tile reads its shape (ByteTileKernel::rows).
inline constexpr int kByteTileRows = 12;
inline constexpr int kByteTileColumns = 32;

// Results of a tile as bytes in place of sums. They equal those of StoreByteTile() (byte_result.h);
// zero points of B and a residual are not supported.
struct ByteTileFinish {
  std::uint8_t* y = nullptr;
  std::int64_t row_stride = 0;           // of y, bytes
  const std::int32_t* offset = nullptr;  // per column
  const float* multiplier = nullptr;     // per column
  std::int32_t zero = 0;                 // of uint8, or of int8 plus 128
  std::uint8_t flip = 0;                 // xored with results: 128 for int8
  float low = 0;                         // bounds in steps of the result
  float high = 0;
};

struct ByteTileArgs {
  int rows = 0;  // 1 to ByteTileKernel::rows
  // 1 to ByteTileKernel::columns; a tile may leave columns of C beyond them unchanged.
  int columns = 0;
  std::int64_t steps = 0;
  const std::uint8_t* a = nullptr;
  std::int64_t lda = 0;  // bytes between rows of A
  const std::int8_t* b = nullptr;
  std::int32_t* c = nullptr;  // room for a whole tile, rows of ByteTileKernel::columns
  bool accumulate = false;    // add to C instead of overwriting it
  // Results as bytes in place of C, which may then be null. Only for tiles that
  // ByteTileKernel::finishes allows.
  const ByteTileFinish* finish = nullptr;
};

using ByteTileFunction = void (*)(const ByteTileArgs& args) noexcept;

struct ByteTileKernel {
  std::string_view name;  // in names of kernels: "qlinear_matmul.s8.avx512_vnni"
  IsaMask isa;
  int rows;
  int columns;
  ByteTileFunction run;
  Component component;
  // Number of products in the time of one float32 product; it decides how far a run is split
  // between threads.
  double products_of_float = 1;
  // Largest number of steps in a block of k, and the number of steps that the tile multiplies at
  // once.
  std::int64_t block_steps = kBlockSteps;
  std::int64_t step_group = 1;
  // The tile serves ByteTileArgs::finish if the number of columns is a multiple of this; 0: never.
  int finishes = 0;
  // Emulates an instruction in plain C++: kernels made of it run only when forced by name.
  bool emulates = false;

  // Bytes of a copy of the tile's rows of A for one block of k.
  [[nodiscard]] constexpr std::int64_t a_bytes() const {
    return rows * (block_steps + 16) * kBytesPerStep;
  }

  [[nodiscard]] constexpr StepBlocks Blocks(std::int64_t steps) const {
    return {.steps = steps, .most = block_steps, .group = step_group};
  }

  [[nodiscard]] constexpr std::int64_t elements() const { return std::int64_t{rows} * columns; }

  [[nodiscard]] constexpr std::int64_t row_tiles(std::int64_t m) const {
    return (m + rows - 1) / rows;
  }
};

// Tile on vpdpbusd, 64 products per instruction. Requires kIsaAvx512Vnni; where the compiler cannot
// build for it, it does nothing and must not be called.
void ByteTileVnni(const ByteTileArgs& args) noexcept;

// Tile on TDPBUSD of AMX, 16 x 64 by 64 x 16 products per instruction, of kAmxRows x kAmxColumns.
// Requires kIsaAmxInt8; on other architectures than x86-64 it does nothing and must not be called.
void ByteTileAmx(const ByteTileArgs& args) noexcept;

// Tile with 16-bit operands and 32-bit sums (no saturating instruction): AVX2, AVX-512 or any CPU.
void ByteTileHighway(const ByteTileArgs& args) noexcept;

}  // namespace halftone
