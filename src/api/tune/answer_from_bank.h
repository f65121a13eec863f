// Answers from the knowledge base. A search stores its front with the values of the held-out
// samples; they suffice to choose a point for another goal without a run.
#pragma once

#include <optional>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/api/tune/pipeline.h"
#include "src/api/tune/prepare.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Provenance that AnswerFromBank() needs of a front: a hash of all inputs of the search, the time
// limit if that ended the search, the value of --metric in float32, HeldoutFacts(), `fitted`, and
// `notes` (ToText() in src/api/tune/judging_notes.h). Empty for a search that the user interrupted,
// or that has a baseline or a strategy of the caller.
Provenance AnswerFacts(const TuneOptions& options, const SearchSpace& space, const Hash128& heldout,
                       const TuneSummary& summary, const std::string& notes = {},
                       const FittedSamples& fitted = {});

// Finds the samples that an earlier search with a time budget used, in the fronts of the workloads
// `keys`. That search must have begun with the same samples and budget (`asked`: AskedSamples()),
// and have had the same number of input shapes (`shapes`). Empty: there is no such front.
std::optional<FittedSamples> StoredSamples(TrialStore& store, std::span<const Hash128> keys,
                                           const Hash128& asked, std::size_t shapes);

// Provenance with the accuracy of the points and of float32 on held-out samples. A front with these
// facts alone answers no search.
Provenance HeldoutFacts(const TunedFront& front, const Reference& reference);

struct HeldoutValues {
  Accuracy point;
  Accuracy reference;       // accuracy of float32
  bool as_float32 = false;  // FrontPoint::as_float32
};

// Held-out values of the member of `front` with the plan digest `plan`; empty: not recorded.
std::optional<HeldoutValues> HeldoutOf(const StoredFront& front, const Hash128& plan);

// Returns the newest front of the workload whose search had the same strategy, space, limits, seed,
// --metric and held-out samples; the goal may differ. Runs nothing and chooses no point. Empty:
// there is no store or no such front; a shorter time limit ended its search; a point lacks the
// metric; or a newer front has no AnswerFacts(), as after `retune`, an interrupted search, or one
// with a baseline or a strategy of the caller. Error kDatabase for a damaged bank.
std::optional<Certified> AnswerFromBank(const Prepared& prepared, const Hash128& workload_key);

// Measures the chosen point of the answer again, its latency by the full protocol, stores the
// trial, and chooses a point anew. SearchFacts::stop_reason gives the earlier speed-up too.
// Requires a chosen point. Error kUnsupported if it cannot run any more.
Certified VerifyChosen(const Prepared& prepared, const Hash128& workload_key, Certified answer);

}  // namespace halftone
