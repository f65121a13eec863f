// One run of the tuner: the problem, the hooks that it calls, and the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/space/space.h"
#include "search/trial/candidate.h"
#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// Input of a search.
struct TuneProblem {
  const Graph& graph;
  const TargetSpec& target;
  SearchSpace space;
};

struct TunerProgress {
  enum class Phase { kSearch, kConfirm };
  Phase phase = Phase::kSearch;
  std::size_t done = 0;           // distinct plans so far, or front members confirmed
  std::size_t planned = 0;        // upper bound on plans (MostPlansOf()), or members to confirm
  std::size_t measured = 0;       // of `done`: plans run in this call, not known before
  std::span<const Trial> trials;  // all trials so far
  const Trial* last = nullptr;
};

struct TunerHooks {
  // Stores a trial: called after each new or re-measured trial, in order, not for known ones.
  std::function<void(const Trial&)> on_trial;
  std::function<void(const TunerProgress&)> on_progress;
  // Called between trials: true ends the search cleanly (Ctrl-C).
  std::function<bool()> stop_requested;
  // Returns the plan to measure and store in place of a proposed plan whose tensors have scales. It
  // differs in its quantisation alone, which becomes that of the trial's candidate; strategies see
  // their own candidate. Deterministic.
  std::function<PrecisionPlan(const PrecisionPlan&)> corrected;
  // Seconds since a fixed start, on the caller's clock, so that tests need no real clock.
  std::function<double()> elapsed_s;
  // Called when a phase begins.
  std::function<void(TunerProgress::Phase)> on_phase = {};
};

// Cause of the end of a search.
enum class SearchEnd : std::uint8_t {
  kDone,  // finished: space exhausted, or requested trials or evaluations reached
  kTime,  // time limit, also if only the confirmation was cut short
  kUser,  // stop_requested
};

// Result of a search before its front is measured again.
struct Searched {
  std::vector<Trial> trials;  // distinct plans and rejections, in the order proposed
  std::size_t measured = 0;   // plans run in this call
  std::size_t known = 0;      // plans taken from `known`
  SearchEnd end = SearchEnd::kDone;
  std::string stop_reason;  // "space exhausted", "max_trials reached", ...
  // Candidates that were proposed but not evaluated before a limit; a continued search begins with
  // them.
  std::vector<Candidate> pending;
};

// Result of a search after its front members were measured again; `end` and `stop_reason` say if
// that was cut short.
struct Confirmed : Searched {
  std::vector<std::size_t> front;  // indices into trials, fastest first
};

}  // namespace halftone
