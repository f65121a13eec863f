// Outcome of a tuning run, decided once, when its front is complete. The screen, every report and
// the exit code read this one value, whether the run searched or was answered from a knowledge
// base.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/report/gates.h"
#include "src/report/verdict.h"

namespace halftone {

enum class RunEnd : std::uint8_t {
  kDone,         // a point was chosen and no gate failed
  kInterrupted,  // the user stopped it; the outcome says what is known so far
  kNoneMeets,    // no point meets the bounds
  kNotPromised,  // a promise was asked for; the chosen point meets the bounds on samples only
  kGateFailed,   // a point was chosen, and a gate of --fail_if failed
  // Time ended the search before there were plans to choose among.
  kNothingSearched,
};

struct Outcome {
  RunEnd end = RunEnd::kDone;
  Verdict verdict;
  std::vector<GateResult> gates;  // parallel to TuneSummary::fail_if
};

// The name of `end` in front.json: "done", "interrupted", "none_meets", "not_promised",
// "gate_failed", "nothing_searched".
std::string_view NameOf(RunEnd end);

// The outcome of `summary` as it stands; reads everything in it but `outcome`.
Outcome OutcomeOf(const TuneSummary& summary);

}  // namespace halftone
