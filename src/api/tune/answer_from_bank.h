// Answers from the knowledge base: a finished search stores its front with the values of the
// held-out samples, which is all that another goal needs.
#pragma once

#include <optional>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/api/tune/pipeline.h"
#include "src/api/tune/prepare.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The facts that AnswerFromBank() needs, for the provenance of a front: the search key, the time
// limit that ended the search if one did, the value of --metric in float32, the values of the
// held-out samples, and `notes` (ToText() in src/api/tune/judging_notes.h). Empty for a search that
// the user interrupted.
Provenance AnswerFacts(const TuneOptions& options, const SearchSpace& space, const Hash128& heldout,
                       const TuneSummary& summary, const std::string& notes = {},
                       const FittedSamples& fitted = {});

// Finds the samples that a search within a budget in time used, in the newest front of the
// workloads `keys` whose search had the same samples and budget (`asked`: AskedSamples()).
// `shapes`: number of input shapes. Empty: there is no such front.
std::optional<FittedSamples> StoredSamples(TrialStore& store, std::span<const Hash128> keys,
                                           const Hash128& asked, std::size_t shapes);

// The held-out values alone: a front with them is no answer, but records its points' accuracy.
Provenance HeldoutFacts(const TunedFront& front, const Reference& reference);

struct HeldoutValues {
  Accuracy point;
  Accuracy reference;       // of float32
  bool as_float32 = false;  // FrontPoint::as_float32
};

// Held-out values of a member of a stored front; empty: not recorded.
std::optional<HeldoutValues> HeldoutOf(const StoredFront& front, const Hash128& plan);

// The newest front of the workload that came from the same search (strategy, space, limits, seed,
// --metric) with the same held-out samples, if no shorter time limit ended it; the goal may differ.
// Runs nothing and chooses nothing. Empty: no store, there is no such front, or `retune` stored a
// newer one. Error kDatabase: a damaged bank.
std::optional<Certified> AnswerFromBank(const Prepared& prepared, const Hash128& workload_key);

// The answer with its chosen point measured again (latency with the full protocol) and chosen anew;
// stores the trial. The stop reason gives the earlier speed-up. Error kUnsupported: the point
// cannot run any more.
Certified VerifyChosen(const Prepared& prepared, const Hash128& workload_key, Certified answer);

}  // namespace halftone
