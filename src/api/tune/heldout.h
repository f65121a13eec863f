// Accuracy on held-out samples, which the search never sees, and certificates based on it.
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
  Accuracy reference;  // accuracy of float32; empty without held-out samples
  // Parallel to the trials. Empty: the trial cannot run on these samples, or was not judged.
  std::vector<std::optional<Accuracy>> trials;
  std::size_t judged = 0;  // number of judged trials; they are the first ones
  std::vector<std::string> warnings;
};

// Runs float32 and the trials on the held-out samples and judges them by all metrics, --metric
// included. If the program of --metric fails, or its metric is not defined there, a warning says so
// and the other metrics are still judged. If the budget becomes too short for a further pass over
// the samples, the remaining trials are not judged, and a warning says how many.
HeldoutAccuracy JudgeHeldout(const Prepared& prepared, std::span<const Trial> trials,
                             TimeBudget& budget);

// Sets the accuracy of float32 on the held-out samples in the reference.
Reference WithHeldout(Reference reference, Accuracy heldout);

// Warning that bounds on accuracy are judged on the search samples alone. Empty: there are no such
// bounds, there are held-out samples, or nothing is to be promised.
std::string WarningWithoutHeldout(const TuneOptions& options, std::int64_t heldout_count);

// One sentence for each bound on accuracy, before any point is known: the best promise that the
// held-out samples allow and, if that does not include the bound, how many samples would, or which
// option to give. Empty without such bounds, with --confidence=none, and with a baseline.
std::vector<std::string> PromiseNotes(const TuneOptions& options, std::int64_t heldout_count);

// True if the plan compiles to the same steps and kernels as float32, so that its outputs are
// equal.
bool RunsAsFloat32(const Prepared& prepared, const PrecisionPlan& plan);

// Inputs of a choice from a front.
struct ChoiceBasis {
  const Constraints& constraints;
  const Reference& reference;
  std::int64_t heldout_count = 0;
  std::optional<double> confidence = kPromiseConfidence;  // empty: nothing is promised
  std::uint64_t seed = 1;                                 // seed of the resampling in certificates
};

// Sets the certificates of the points, if there are bounds on accuracy, and chooses a point by
// ChooseMember() (search/trial/choose.h) among those that qualify:
//
//   bounds on accuracy that held-out samples can promise   Promisable() (search/trial/certify.h)
//   other bounds                                           no MissOnSamples()
//   no bounds                                              no MissOfDefault(); if there is no such
//                                                          point, the most accurate one
//
// With a baseline, chooses by ChooseAgainstBaseline(). If no point qualifies, sets the nearest
// ones. Runs nothing.
TunedFront ChooseAndCertify(TunedFront front, const ChoiceBasis& basis);

}  // namespace halftone
