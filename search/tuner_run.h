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
  std::size_t measured = 0;       // plans run in this call; known plans do not count
  std::span<const Trial> trials;  // all trials so far
  const Trial* last = nullptr;    // the newest trial
};

struct TunerHooks {
  // Stores a trial. Called in order after each new or re-measured trial, but not for known trials.
  std::function<void(const Trial&)> on_trial;
  std::function<void(const TunerProgress&)> on_progress;
  // Called between trials: true ends the search cleanly (Ctrl-C).
  std::function<bool()> stop_requested;
  // Returns the plan that is measured and stored in place of a proposed plan with scales. The two
  // plans may differ in their quantisation only. The candidate of the stored trial takes the new
  // quantisation; the strategy sees the candidate that it proposed. Must be deterministic.
  std::function<PrecisionPlan(const PrecisionPlan&)> corrected;
  // Seconds of TunerOptions::time_limit that have passed. Tests pass a clock of their own.
  std::function<double()> elapsed_s;
  // Called when a phase begins.
  std::function<void(TunerProgress::Phase)> on_phase = {};
  // Index of the member of a front (fastest first) that the user would get; empty: none. It is
  // confirmed before the others.
  std::function<std::optional<std::size_t>(std::span<const Trial>)> choose = {};
};

// Cause of the end of a search.
enum class SearchEnd : std::uint8_t {
  // Nothing left to propose; or a limit on trials, on evaluations, or on successive candidates
  // without a new plan was reached.
  kDone,
  kTime,  // time limit, also if it only cut the confirmation short
  kUser,  // stop_requested
};

// Result of a search before its front is measured again.
struct Searched {
  std::vector<Trial> trials;  // distinct plans and rejections, in the order proposed
  std::size_t measured = 0;   // plans run in this call
  std::size_t known = 0;      // plans whose outcome was taken from a known trial
  SearchEnd end = SearchEnd::kDone;
  std::string stop_reason;  // "nothing left to propose", "max_trials (200) reached", ...
  // Candidates that were proposed but not evaluated before a limit. A continued search begins with
  // these.
  std::vector<Candidate> pending;
};

// Result of a search after its front members were measured again. If the confirmation was cut
// short, `end` and `stop_reason` say so.
struct Confirmed : Searched {
  std::vector<std::size_t> front;  // indices into trials, fastest first
};

}  // namespace halftone
