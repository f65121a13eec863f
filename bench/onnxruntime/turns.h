// Alternating timing of two programs in one process, so that neither disturbs the other.
#pragma once

#include <cstdint>
#include <functional>

#include "search/trial/trial.h"

namespace halftone {

struct TurnsOptions {
  double budget_s = 1.5;  // of samples
  int threads = 1;        // that each of the two uses
  std::uint64_t seed = 1;
};

// Pairs of samples by the protocol of search/measure/paired_rounds.h (ours theirs, theirs ours,
// ...), with two additions. Each sample waits until the process is idle: workers that wait by
// spinning (ONNX Runtime's do for some milliseconds after a run) would take a core from the other
// program. And a sample of short runs begins with one that does not count: it finds workers asleep
// and the caches full of the other's data. The candidate of the result is `theirs`, the anchor
// `ours`.
Latency TimeInTurns(const std::function<void()>& ours, const std::function<void()>& theirs,
                    const TurnsOptions& options);

}  // namespace halftone
