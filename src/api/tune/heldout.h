// Held-out samples, which the search never sees: accuracy on them, and certificates from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/time_budget.h"
#include "src/precision/precision_plan.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct Prepared;

struct HeldoutAccuracy {
  Accuracy reference;                           // of float32; empty without held-out samples
  std::vector<std::optional<Accuracy>> trials;  // parallel to the judged trials; empty: it cannot
                                                // run on them
  std::size_t judged = 0;                       // trials that there was time for, from the first on
  std::vector<std::string> warnings;
};

// Runs float32 and the trials on the held-out samples, if there are any: by all metrics, and by
// that of --metric. If its program fails or its metric is not defined, a warning says so and the
// other metrics are there. Where `budget` has no time for a pass over them, float32 and trials get
// no held-out accuracy, with a warning.
HeldoutAccuracy JudgeHeldout(const Prepared& prepared, std::span<const Trial> trials,
                             TimeBudget& budget);

// The reference with float32's accuracy on the held-out samples.
Reference WithHeldout(Reference reference, Accuracy heldout);

// The warning that bounds on accuracy rest on the samples of the search alone. Empty: they do not,
// or no promise is asked for.
std::string WarningWithoutHeldout(const TuneOptions& options, std::int64_t heldout_count);

// Best promises that held-out samples allow of bounds on accuracy, before any point is known: a
// sentence for each bound, with the samples that it takes and what to type otherwise. Empty without
// such bounds, and with --confidence=none.
std::vector<std::string> PromiseNotes(const TuneOptions& options, std::int64_t heldout_count);

// True if the plan compiles to the steps and kernels of float32, so that its outputs are the same.
bool RunsAsFloat32(const Prepared& prepared, const PrecisionPlan& plan);

// Basis of a choice from a front.
struct ChoiceBasis {
  const Constraints& constraints;
  const Reference& reference;
  std::int64_t heldout_count = 0;
  std::optional<double> confidence = kPromiseConfidence;  // empty: nothing is promised
  std::uint64_t seed = 1;                                 // of the certificates' resampling
};

// The front with certificates and a chosen point, where there are bounds on accuracy: one that
// held-out samples certify (search/trial/certify.h) if they are enough for these bounds, else one
// that meets them on the samples. Without bounds, one that is good by the default on held-out
// samples too. Runs nothing.
TunedFront ChooseAndCertify(TunedFront front, const ChoiceBasis& basis);

}  // namespace halftone
