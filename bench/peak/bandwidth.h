// Bandwidth of the caches and the memory of this machine for one thread.
#pragma once

#include <cstdint>

namespace halftone {

struct Bandwidth {
  double read = 0;  // bytes a second
  // Bytes read and written a second by vector copies: `copy` with ordinary stores, `copy_streamed`
  // with non-temporal ones. If no cache has the line, an ordinary store first reads it, which is
  // not counted.
  double copy = 0;
  double copy_streamed = 0;
};

// Measures a working set of `bytes`: reads all of it repeatedly, and copies half of it to the other
// half with both kinds of store. Takes some milliseconds, or two passes over the set.
Bandwidth MeasureBandwidth(std::int64_t bytes);

// MeasureBandwidth() of the next power of two from `bytes` on; each is measured once.
Bandwidth BandwidthOf(std::int64_t bytes);

}  // namespace halftone
