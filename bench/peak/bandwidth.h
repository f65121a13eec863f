// Bandwidth of the caches and the memory of this machine for one thread.
#pragma once

#include <cstdint>

namespace halftone {

struct Bandwidth {
  double read = 0;  // bytes a second
  // Bytes read and written a second by vector copies: `copy` with ordinary stores, `copy_streamed`
  // with non-temporal ones. If no cache has the line, an ordinary store first reads it; this read
  // is not counted.
  double copy = 0;
  double copy_streamed = 0;
};

// Measures a working set of `bytes`: reads all of it repeatedly, and copies one half to the other
// with both kinds of store. Each of the three figures takes at least 5 ms, and six passes over the
// set.
Bandwidth MeasureBandwidth(std::int64_t bytes);

// MeasureBandwidth() of the smallest power of two that is at least `bytes` and 4 KiB. Each size is
// measured once. Not thread safe.
Bandwidth BandwidthOf(std::int64_t bytes);

}  // namespace halftone
