// Timing of programs in turns in one process, so that none disturbs another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

struct TurnsOptions {
  double budget_s = 1.5;  // seconds of samples
  int threads = 1;        // threads of each program
  std::uint64_t seed = 1;
};

// Pairs of samples by the protocol of search/measure/paired_rounds.h (ours theirs, theirs ours,
// ...), with two additions. Each sample waits until the process is idle: workers that wait by
// spinning (ONNX Runtime's do for some milliseconds after a run) would take a core from the other
// program. A sample of short runs begins with a run that does not count, because it finds workers
// asleep and caches full of the other program's data. The candidate of the result is `theirs`, the
// anchor `ours`.
Latency TimeInTurns(const std::function<void()>& ours, const std::function<void()>& theirs,
                    const TurnsOptions& options);

// TimeInTurns() for several candidates, at least one; the results are parallel to them.
std::vector<Latency> TimeAllInTurns(std::span<const std::function<void()>> candidates,
                                    const std::function<void()>& anchor,
                                    const TurnsOptions& options);

}  // namespace halftone
