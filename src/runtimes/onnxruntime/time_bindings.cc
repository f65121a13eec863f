#include "src/runtimes/onnxruntime/time_bindings.h"

#include <chrono>
#include <cstdint>

namespace halftone {

Latency TimeBindings(OrtBinding& candidate, OrtBinding& float32,
                     const PairedRoundsOptions& rounds) {
  using Clock = std::chrono::steady_clock;
  const auto timed_runs = [&](std::size_t which, std::int64_t runs) {
    OrtBinding& binding = which == 0 ? candidate : float32;
    const auto start = Clock::now();
    for (std::int64_t run = 0; run < runs; ++run) {
      binding.Run();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  return MeasurePairedRounds(1, timed_runs, rounds).front();
}

}  // namespace halftone
