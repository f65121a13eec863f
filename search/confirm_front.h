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

// Number of members of the front of `trials` that are not confirmed.
std::size_t UnconfirmedOf(std::span<const Trial> trials);

// Confirms the unconfirmed front members: the fastest and the most accurate first, then always the
// member farthest from the confirmed ones. Stores each through hooks.on_trial, and repeats with the
// resulting front until all its members are confirmed. Each trial is confirmed at most once, so
// this terminates. It ends early when hooks.stop_requested returns true, or when the shortest
// confirmation of a member (Measurer::ConfirmWithin()) would end after `until_s` on the clock
// hooks.elapsed_s; the members share the time until then. A search that the user interrupted is not
// confirmed.
Confirmed ConfirmFront(const TuneProblem& problem, Searched searched, Measurer& measurer,
                       const TunerHooks& hooks, std::optional<double> until_s = std::nullopt);

// Measures the latency of a measured trial with the full protocol. A trial from a knowledge base
// has no accuracy values per sample, so its accuracy is measured again: every confirmed trial is
// stored with these values. A plan that no longer gives finite outputs becomes a Rejection. False:
// `time` was too short, and the trial is unchanged.
bool Confirm(const TuneProblem& problem, Measurer& measurer, Trial& trial,
             const ConfirmTime& time = {});

// Result of `body`; empty after an Error of this candidate, which becomes trial.outcome. Errors of
// halftone, of the disk and of the knowledge base propagate.
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
