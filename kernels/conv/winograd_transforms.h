// The transforms of F(2x2, 3x3) (Lavin, Gray: Fast Algorithms for Convolutional Neural Networks,
// 2016) for CPUs with kIsaAvx512Bf16 alone (kernels/cpu_isa.h).
//
//   Y = A^T [(G g G^T) . (B^T d B)] A     d: 4x4 pixels, g: 3x3 weights, Y: 2x2 pixels
//
// Element (i, j) of a transformed tile belongs to product 4 i + j.
#pragma once

#include <cstdint>

#include "kernels/tile/tile.h"
#include "src/ir/dtype.h"

namespace halftone {

inline constexpr int kWinogradInput = 4;  // pixels of a tile along each axis
inline constexpr int kWinogradOutput = 2;
inline constexpr int kWinogradProducts = kWinogradInput * kWinogradInput;

// A tile of pixels, to be transformed to one row of each product.
struct WinogradPixels {
  DType dtype = DType::kFloat16;               // or bfloat16
  const void* pixels[kWinogradProducts] = {};  // `channels` contiguous elements each
  std::int64_t channels = 0;
  // Receives B^T d B, summed in fp32 and rounded to bfloat16 once; an odd number of channels is
  // followed by one zero.
  std::byte* target = nullptr;
  std::int64_t product_stride = 0;  // bytes
};

void TransformWinogradPixels(const WinogradPixels& tile) noexcept;

// A^T m A of `tiles` neighbouring tiles: rows of kTileColumns floats, tile after tile, products
// `product_stride` floats apart. The results are the upper and the lower row of pixels,
// kTileColumns floats each.
struct WinogradSums {
  const float* sums = nullptr;
  std::int64_t product_stride = 0;
  int tiles = 0;
  float* upper = nullptr;
  float* lower = nullptr;
};

void TransformWinogradSums(const WinogradSums& row) noexcept;

}  // namespace halftone
