// Inner loops of LRN: float32 arithmetic, a vector of pixels or of channels at a time.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Widest window; networks use 5.
inline constexpr std::int64_t kMostLrnWindow = 33;

struct LrnCall {
  DType dtype = DType::kFloat32;
  bool channels_last = false;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;  // pixels of an image
  std::int64_t below = 0;  // channels of the window before and after
  std::int64_t above = 0;
  double factor = 0;  // alpha / size
  double bias = 1;
  double beta = 0.75;
};

// True if the power is a product of square roots, which the loops require.
bool HasLrnRows(double beta);

// Computes pixels [begin, end), counted over all images; HasLrnRows(beta) must hold, and the window
// be at most kMostLrnWindow.
void RunLrnPixels(const LrnCall& call, const void* x, void* y, std::int64_t begin,
                  std::int64_t end) noexcept;

}  // namespace halftone
