// The inner loops of LRN: float32 arithmetic, a vector of pixels or of channels at a time.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Windows wider than this are not what networks use (5).
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

// Exponents that are products of square roots.
bool HasLrnRows(double beta);

// Pixels [begin, end), counted over all images; beta as HasLrnRows() says, the window at most
// kMostLrnWindow.
void RunLrnPixels(const LrnCall& call, const void* x, void* y, std::int64_t begin,
                  std::int64_t end) noexcept;

}  // namespace halftone
