// Samples that the search never sees, and what they allow to promise.
#pragma once

#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The samples of the search and the held-out ones: those of `options.heldout` without what the
// search sees too, or the share `options.heldout_share` of the given samples. Without real samples,
// and below kFewestToHoldOut of them unless the share was asked for, none are held out. Says in
// `summary` what was done. Errors: what LoadSamples(), SplitDataset() and RemoveSeen() throw.
DataSplit LoadParts(const Model& model, const TuneOptions& options, TuneSummary& summary);

// Runs every point of the front on the held-out samples, if there are any: by all metrics, and by
// that of --metric. Where the program of the latter fails or its metric is not defined, a warning
// of `summary` says so, and the others are there.
void EvaluateHeldout(const Model& model, const TargetSpec& target, const TuneOptions& options,
                     const CompileOptions& compile, const Dataset& heldout, TuneSummary& summary);

// A warning of `summary` where bounds on accuracy rest on the samples of the search alone.
void WarnWithoutHeldout(TuneSummary& summary);

// Chooses a point: with bounds on accuracy, of those that may be promised by what the held-out
// samples gave (search/trial/certify.h), where there are some. Runs nothing.
void ChooseAndCertify(std::uint64_t seed, TuneSummary& summary);

}  // namespace halftone
