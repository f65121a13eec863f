// Transforms of pixels and sums in F(2x2, 3x3) (Lavin, Gray: Fast Algorithms for Convolutional
// Neural Networks, 2016). The functions require kIsaAvx512Bf16 (kernels/cpu_isa.h).
//
//   Y = A^T [(G g G^T) . (B^T d B)] A     d: 4x4 pixels, g: 3x3 weights, Y: 2x2 pixels
//
// Element (i, j) of a transformed tile belongs to product 4 i + j.
#pragma once

#include <cstdint>

#include "kernels/tile/tile.h"
#include "src/ir/dtype.h"

namespace halftone {

inline constexpr int kWinogradInput = 4;   // input pixels of a tile along each axis
inline constexpr int kWinogradOutput = 2;  // result pixels of a tile along each axis
inline constexpr int kWinogradProducts = kWinogradInput * kWinogradInput;

// A tile of pixels, and the rows of the products that it is transformed to.
struct WinogradPixels {
  DType dtype = DType::kFloat16;               // float16 or bfloat16
  const void* pixels[kWinogradProducts] = {};  // `channels` contiguous elements each
  std::int64_t channels = 0;
  // Row of the first product, which receives `channels` elements of B^T d B, summed in fp32 and
  // rounded to bfloat16 once. One zero follows an odd number of channels.
  std::byte* target = nullptr;
  std::int64_t product_stride = 0;  // bytes from the row of a product to that of the next
};

void TransformWinogradPixels(const WinogradPixels& tile) noexcept;

// Sums of `tiles` neighbouring tiles, and the pixels A^T m A that they are transformed to. A sum
// and a pixel have kTileColumns floats, one for each channel of a panel.
struct WinogradSums {
  const float* sums = nullptr;      // sums of the first product, tile after tile
  std::int64_t product_stride = 0;  // floats from the sums of a product to those of the next
  int tiles = 0;
  float* upper = nullptr;  // upper row of pixels, two for each tile
  float* lower = nullptr;  // lower row of pixels
};

void TransformWinogradSums(const WinogradSums& row) noexcept;

}  // namespace halftone
