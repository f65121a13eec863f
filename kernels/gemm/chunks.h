// Parallel loops with scratch per range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "kernels/parallel.h"

namespace halftone {

// Largest number of ranges that ForEachChunk() makes, for which scratch must be reserved.
inline int MaxChunks() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Calls body(chunk, begin, end) for at most `max_chunks` ranges of [0, units), each of at least
// about `grain` units. Two threads never work on one chunk, so a chunk can own scratch.
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

// Units that take about 12 us at 100 GFLOP/s. Workers are awake during a run, so that short layers
// gain too: SqueezeNet with two threads took 1.13 times as long with 50 us (Zen 4, 2 cores).
inline std::int64_t GrainForFlops(double flops_per_unit) {
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(1.2e6 / std::max(flops_per_unit, 1.0)));
}

}  // namespace halftone
