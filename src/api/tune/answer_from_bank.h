// Answers from the knowledge base: a finished search stores its front with the values of the
// held-out samples, which is all that another goal needs.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/space/space.h"
#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The facts that AnswerFromBank() needs, for the provenance of a front: the search key, the time
// limit that ended the search if one did, the value of --metric in float32, and the values of the
// held-out samples. Empty for a search that the user interrupted.
Provenance AnswerFacts(const TuneOptions& options, const SearchSpace& space, const Dataset& heldout,
                       const TuneSummary& summary);

// The held-out values alone: a front with them is no answer, but records its points' accuracy.
Provenance HeldoutFacts(const TuneSummary& summary);

struct HeldoutValues {
  Accuracy point;
  Accuracy reference;  // of float32
};

// Held-out values of a member of a stored front; empty: not recorded.
std::optional<HeldoutValues> HeldoutOf(const StoredFront& front, const Hash128& plan);

// Fills the points of `summary` and their data from the newest front of the workload that came from
// the same search (strategy, space, limits, seed, --metric) with the same held-out samples, if no
// shorter time limit ended it; the goal may differ. Runs nothing. False: there is no such front, or
// `retune` stored a newer one, and `summary` is unchanged. Error kDatabase: a damaged bank.
bool AnswerFromBank(TrialStore& store, const Hash128& workload_key, const TuneOptions& options,
                    const SearchSpace& space, const Dataset& heldout, TuneSummary& summary);

// Inputs of the answer.
struct AnsweredRun {
  const Model& model;
  const TargetSpec& target;
  const Dataset& data;  // of the search
  const TuneOptions& options;
};

// Explains operators of the chosen point in float32, by the stored sensitivity of the search; no
// effect where it did not probe.
void DescribeKept(const AnsweredRun& run, const SearchSpace& space, TrialStore& store,
                  const Hash128& workload_key, TuneSummary& summary);

// Measures the chosen point of an answer, its latency with the full protocol, stores the trial and
// replaces the stored figures; the stop reason gives the earlier ones.
void VerifyChosen(const AnsweredRun& run, const CompileOptions& compile, TrialStore& store,
                  const Hash128& workload_key, TuneSummary& summary);

}  // namespace halftone
