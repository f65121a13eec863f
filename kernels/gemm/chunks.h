// Parallel loop whose ranges own scratch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "kernels/parallel.h"

namespace halftone {

// Upper bound on the number of ranges that ForEachChunk() makes. A kernel reserves scratch for this
// many.
inline int MaxChunks() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Splits [0, units) into at most `max_chunks` ranges of `grain` units or more (one range if there
// are fewer units) and calls body(chunk, begin, end) for each, in parallel. `chunk` numbers the
// ranges from 0; only one thread works on a chunk, so a chunk can own scratch.
template <typename Body>
void ForEachChunk(std::int64_t units, std::int64_t grain, int max_chunks,
                  const Body& body) noexcept {
  const std::int64_t wanted = units / std::max<std::int64_t>(grain, 1);
  const std::int64_t chunks =
      std::clamp<std::int64_t>(wanted, 1, std::min(max_chunks, ThreadCount()));
  ParallelFor(chunks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t chunk = first; chunk < last; ++chunk) {
      const std::int64_t begin = units * chunk / chunks;
      const std::int64_t end = units * (chunk + 1) / chunks;
      if (begin < end) {
        body(chunk, begin, end);
      }
    }
  });
}

// Number of units that take about 12 us at 100 GFLOP/s, at least 1. Workers stay awake during a
// run, so short ranges pay off: with ranges of 50 us, SqueezeNet on two threads took 1.13 times as
// long (Zen 4, 2 cores).
inline std::int64_t GrainForFlops(double flops_per_unit) {
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(1.2e6 / std::max(flops_per_unit, 1.0)));
}

}  // namespace halftone
