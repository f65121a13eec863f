// What the caches and the memory of this machine deliver to one thread.
#pragma once

#include <cstdint>

namespace halftone {

struct Bandwidth {
  double read = 0;  // bytes a second
  // Bytes read and written a second, by vectors from one place to another: with ordinary stores,
  // which read the line that they write where no cache has it (not counted), and with stores past
  // the caches, which do not.
  double copy = 0;
  double copy_streamed = 0;
};

// Of a working set of `bytes`: all of it read again and again; half of it copied to the other half,
// both ways. Takes some milliseconds, or two passes over the set.
Bandwidth MeasureBandwidth(std::int64_t bytes);

// The same, measured once for each power of two from `bytes` on.
Bandwidth BandwidthOf(std::int64_t bytes);

}  // namespace halftone
