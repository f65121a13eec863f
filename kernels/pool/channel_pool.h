// Inner loops of pooling with channels last, which reduce vectors of channels.
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

// Computes output rows [first, last), counted over all images. A maximum of floats is NaN if a tap
// is NaN, and -infinity over no taps; a maximum of bytes over no taps is the least byte. An average
// sums each column of the window, then the columns, in float32, and is divided by the number of
// counted taps.
void PoolChannelRows(const ChannelPool& pool, std::int64_t first, std::int64_t last) noexcept;

}  // namespace halftone
