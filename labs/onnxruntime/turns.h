// Timing of programs in turns in one process, in a way that no program disturbs another.
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

// Times `theirs` (the candidate) in turns with `ours` (the anchor), by the protocol of
// search/measure/paired_rounds.h, with two additions. With several threads, each sample waits until
// the process is idle: workers that wait by spinning (those of ONNX Runtime do so for some
// milliseconds after a run) would take a core from the other program. A sample of short runs begins
// with a run that does not count, because this run finds workers asleep and caches full of the
// other program's data.
Latency TimeInTurns(const std::function<void()>& ours, const std::function<void()>& theirs,
                    const TurnsOptions& options);

// Does what TimeInTurns() does, for one or more candidates. The results are parallel to them.
std::vector<Latency> TimeAllInTurns(std::span<const std::function<void()>> candidates,
                                    const std::function<void()>& anchor,
                                    const TurnsOptions& options);

}  // namespace halftone
