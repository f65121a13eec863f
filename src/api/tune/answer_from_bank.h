// Goals that the knowledge base can answer: a search that was finished leaves its front and what
// the held-out samples said of it, which is all that another goal needs.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/space/space.h"
#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The facts that AnswerFromBank() needs, for the provenance of the front of a search: which search
// it was, the limit of time that ended it if one did, what float32 has of --metric, and the values
// of the held-out samples. Empty for one that the user interrupted.
Provenance AnswerFacts(const TuneOptions& options, const SearchSpace& space, const Dataset& heldout,
                       const TuneSummary& summary);

// The last of these alone: a front with it is no answer, but says what was known of its points.
Provenance HeldoutFacts(const TuneSummary& summary);

struct HeldoutValues {
  Accuracy point;
  Accuracy reference;  // of float32
};

// What the held-out samples gave for a member of a stored front; empty: it is not recorded.
std::optional<HeldoutValues> HeldoutOf(const StoredFront& front, const Hash128& plan);

// Fills the points of `summary` and what belongs to them from the newest front of the workload that
// came from the same search (strategy, space, limits, seed, --metric) with the same held-out
// samples, and that time did not end earlier than it would end this one; the goal may be another
// one. Nothing is run. False: there is no such front, or `retune` left a newer one, and `summary`
// is as it was. Error kDatabase: a damaged bank.
bool AnswerFromBank(TrialStore& store, const Hash128& workload_key, const TuneOptions& options,
                    const SearchSpace& space, const Dataset& heldout, TuneSummary& summary);

// What the answer rests on.
struct AnsweredRun {
  const Model& model;
  const TargetSpec& target;
  const Dataset& data;  // of the search
  const TuneOptions& options;
};

// Why operators of the chosen point stayed in float32, from what the probes of the search left in
// the bank; nothing where it did not probe.
void DescribeKept(const AnsweredRun& run, const SearchSpace& space, TrialStore& store,
                  const Hash128& workload_key, TuneSummary& summary);

// Measures the chosen point of an answer, its latency with the full protocol, stores the trial and
// puts the figures in place of those that were stored; says in the stop reason what was before.
void VerifyChosen(const AnsweredRun& run, const CompileOptions& compile, TrialStore& store,
                  const Hash128& workload_key, TuneSummary& summary);

}  // namespace halftone
