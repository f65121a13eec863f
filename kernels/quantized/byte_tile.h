// Call of a register tile of quantised products: C[rows x columns] (+)= A * B in int32.
// byte_tiles.h lists the tiles.
//
// A is row-major uint8. B is int8 in panels as wide as the tile (byte_panels.h), with 4 consecutive
// elements of each column per step. Signed A and unsigned B are shifted by 128 first; the zero
// point corrects that. Sums are exact modulo 2^32, so any order gives the same. A tile may compute
// results from rows of A and columns of B beyond the matrix. Nobody reads these results.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/component.h"
#include "kernels/cpu_isa.h"
#include "kernels/tile/tile.h"

namespace halftone {

inline constexpr std::int64_t kBytesPerStep = 4;

// Shape of the tiles in vector registers. Code that serves any tile reads ByteTileKernel::rows and
// columns instead.
inline constexpr int kByteTileRows = 12;
inline constexpr int kByteTileColumns = 32;

// Results of a tile as bytes instead of sums. They equal those of StoreByteTile() (byte_result.h);
// zero points of B and a residual are not supported.
struct ByteTileFinish {
  std::uint8_t* y = nullptr;
  std::int64_t row_stride = 0;           // bytes between rows of y
  const std::int32_t* offset = nullptr;  // per column
  const float* multiplier = nullptr;     // per column
  std::int32_t zero = 0;                 // zero point of uint8, or that of int8 plus 128
  std::uint8_t flip = 0;                 // xored with results: 128 for int8
  float low = 0;                         // lower bound, in steps of the result
  float high = 0;                        // upper bound
};

struct ByteTileArgs {
  int rows = 0;  // 1 to ByteTileKernel::rows
  // 1 to ByteTileKernel::columns; a tile may leave columns of C beyond them unchanged.
  int columns = 0;
  std::int64_t steps = 0;
  const std::uint8_t* a = nullptr;
  std::int64_t lda = 0;  // bytes between rows of A
  const std::int8_t* b = nullptr;
  std::int32_t* c = nullptr;  // rows of ByteTileKernel::columns, with room for a whole tile
  bool accumulate = false;    // add to C instead of overwriting it
  // If set, the tile writes bytes instead of C, which may then be null. Only where
  // ByteTileKernel::finishes allows it. Null: sums.
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
  // Number of products in the time of one float32 product. It determines into how many ranges a run
  // is split for threads.
  double products_of_float = 1;
  std::int64_t block_steps = kBlockSteps;  // largest number of steps in a block of k
  std::int64_t step_group = 1;             // number of steps that the tile multiplies at once
  // The tile accepts ByteTileArgs::finish if the number of columns is a multiple of this and k is
  // one block; 0: never.
  int finishes = 0;
  // True if the tile emulates an instruction in plain C++. Kernels made of it run only when forced
  // by name.
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

// Tile on vpdpbusd, 64 products per instruction. Requires kIsaAvx512Vnni. Where the compiler cannot
// build for it, the function does nothing and must not be called.
void ByteTileVnni(const ByteTileArgs& args) noexcept;

// Tile of kAmxRows x kAmxColumns on TDPBUSD of AMX, which multiplies 16 x 64 by 64 x 16 bytes at
// once. Requires kIsaAmxInt8. On architectures other than x86-64, the function does nothing and
// must not be called.
void ByteTileAmx(const ByteTileArgs& args) noexcept;

// Tile with 16-bit operands and 32-bit sums (no saturating instruction), for AVX2, AVX-512 or any
// other CPU.
void ByteTileHighway(const ByteTileArgs& args) noexcept;

}  // namespace halftone
