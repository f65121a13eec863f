// Bandwidth of the caches and the memory of this machine for one thread.
#pragma once

#include <cstdint>

namespace halftone {

struct Bandwidth {
  double read = 0;  // bytes a second
  // Bytes read and written a second by vector copies: with ordinary stores, which read the line
  // that they write where no cache has it (not counted), and with non-temporal stores, which do
  // not.
  double copy = 0;
  double copy_streamed = 0;
};

// Measures a working set of `bytes`: reads all of it repeatedly; copies half of it to the other
// half, with both stores. Takes some milliseconds, or two passes over the set.
Bandwidth MeasureBandwidth(std::int64_t bytes);

// MeasureBandwidth(), measured once for each power of two from `bytes` on.
Bandwidth BandwidthOf(std::int64_t bytes);

}  // namespace halftone
