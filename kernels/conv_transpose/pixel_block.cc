#include "kernels/conv_transpose/pixel_block.h"

#include "kernels/transpose/tile.h"

namespace halftone {
namespace {

template <typename Word>
void Turn(const std::byte* pixels, std::int64_t count, std::int64_t channels, std::byte* rows) {
  constexpr auto kTile = static_cast<std::int64_t>(MatrixRow<Word>::kSize);
  const auto* from = reinterpret_cast<const Word*>(pixels);
  auto* to = reinterpret_cast<Word*>(rows);
  const std::int64_t tiled_pixels = count / kTile * kTile;
  const std::int64_t tiled_channels = channels / kTile * kTile;
  for (std::int64_t i = 0; i < tiled_pixels; i += kTile) {
    for (std::int64_t c = 0; c < tiled_channels; c += kTile) {
      TransposeTile(from + i * channels + c, channels, to + c * kBlockPixels + i, kBlockPixels);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = i < tiled_pixels ? tiled_channels : 0; c < channels; ++c) {
      to[c * kBlockPixels + i] = from[i * channels + c];
    }
  }
}

}  // namespace

void PixelsToRows(DType dtype, const std::byte* pixels, std::int64_t count, std::int64_t channels,
                  std::byte* rows) noexcept {
  if (SizeOf(dtype) == 2) {
    Turn<std::uint16_t>(pixels, count, channels, rows);
  } else {
    Turn<std::uint32_t>(pixels, count, channels, rows);
  }
}

}  // namespace halftone
