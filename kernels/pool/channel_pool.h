// Inner loops of pooling with channels last: a vector of channels at a time.
#pragma once

#include <cstdint>

#include "kernels/pool/pool_call.h"

namespace halftone {

struct ChannelPool {
  const PoolCall* call = nullptr;
  const void* x = nullptr;            // [N, H, W, C]
  void* y = nullptr;                  // [N, OH, OW, C]
  const TapRange* columns = nullptr;  // one per output column
};

// Computes output rows [first, last), counted over all images. Maxima are NaN where a tap is NaN
// and -infinity over no taps; averages are fp32 sums, tap by tap, divided by the number of taps.
void PoolChannelRows(const ChannelPool& pool, std::int64_t first, std::int64_t last) noexcept;

}  // namespace halftone
