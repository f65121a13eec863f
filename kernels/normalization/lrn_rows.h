// Inner loops of LRN: float32 arithmetic, a vector of pixels or of channels at a time.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Widest window, in channels; networks use 5.
inline constexpr std::int64_t kMostLrnWindow = 33;

struct LrnCall {
  DType dtype = DType::kFloat32;
  bool channels_last = false;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;  // pixels of an image
  std::int64_t below = 0;  // channels of the window before the channel
  std::int64_t above = 0;  // channels of the window behind it
  double factor = 0;       // alpha / size
  double bias = 1;
  double beta = 0.75;
};

// True for 0.5, 0.75 and 1: the loops compute the power by square roots.
bool HasLrnRows(double beta);

// Computes pixels [begin, end), counted over all images. Requires HasLrnRows(call.beta) and a
// window of at most kMostLrnWindow channels.
void RunLrnPixels(const LrnCall& call, const void* x, void* y, std::int64_t begin,
                  std::int64_t end) noexcept;

}  // namespace halftone
