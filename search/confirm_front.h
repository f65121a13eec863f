// Re-measures the front members before they are reported, because the best of many noisy
// measurements looks better than it is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "search/measure/measurer.h"
#include "search/trial/trial.h"
#include "search/tuner_run.h"
#include "src/base/error.h"

namespace halftone {

// Number of unconfirmed members of ParetoFront(trials).
std::size_t UnconfirmedOf(std::span<const Trial> trials);

// Confirms the unconfirmed members of the Pareto front: first the fastest and the most accurate,
// then repeatedly the member whose position in the front is farthest from all confirmed ones. Calls
// hooks.on_trial for each. A confirmation can change the front, so the function repeats until all
// members of the resulting front are confirmed. It terminates, because it confirms each trial at
// most once. It ends early when hooks.stop_requested returns true, or when the shortest
// confirmation of a member (Measurer::ConfirmWithin()) would end after `until_s` on the clock
// hooks.elapsed_s. The members share the time until then. A search that the user interrupted is not
// confirmed. The front of the result is ProvenFront().
Confirmed ConfirmFront(const TuneProblem& problem, Searched searched, Measurer& measurer,
                       const TunerHooks& hooks, std::optional<double> until_s = std::nullopt);

// Confirms a trial that has a measurement: measures its latency again with the full protocol. A
// trial from a knowledge base has no accuracy values per sample, so its accuracy is measured again,
// because confirmed trials are stored with these values. If the plan no longer gives finite
// outputs, or fails with an error of its own (OrRejection()), the outcome of the trial becomes a
// Rejection. Returns false if `time` was too short; the trial is then unchanged.
bool Confirm(const TuneProblem& problem, Measurer& measurer, Trial& trial,
             const ConfirmTime& time = {});

// Returns the result of `body`. If `body` throws an Error, the outcome of `trial` becomes a
// Rejection and the result is empty; errors kInternal, kIo and kDatabase propagate.
template <typename Body>
std::optional<std::invoke_result_t<Body>> OrRejection(Trial& trial, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInternal || error.kind() == ErrorKind::kIo ||
        error.kind() == ErrorKind::kDatabase) {
      throw;
    }
    trial.outcome = Rejection{error.what()};
    return std::nullopt;
  }
}

}  // namespace halftone
