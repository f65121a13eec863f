// Alternating timing of programs in one process, so that none disturbs another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

struct TurnsOptions {
  double budget_s = 1.5;  // of samples
  int threads = 1;        // that each program uses
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

// The same for several candidates, parallel to the results. Requires at least one.
std::vector<Latency> TimeAllInTurns(std::span<const std::function<void()>> candidates,
                                    const std::function<void()>& anchor,
                                    const TurnsOptions& options);

}  // namespace halftone
