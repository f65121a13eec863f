// Samples that the search never sees, and certificates from them.
#pragma once

#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The samples of the search and the held-out ones: those of `options.heldout` that the search does
// not see, or the share `options.heldout_share` of the given samples. Without real samples, and
// below kFewestToHoldOut of them unless a share was given, none are held out. Records the split in
// `summary`. Errors as LoadSamples(), SplitDataset() and RemoveSeen().
DataSplit LoadParts(const Model& model, const TuneOptions& options, TuneSummary& summary);

// Runs every point of the front on the held-out samples, if there are any: by all metrics, and by
// that of --metric. If its program fails or its metric is not defined, `summary` gets a warning and
// the other metrics.
void EvaluateHeldout(const Model& model, const TargetSpec& target, const TuneOptions& options,
                     const CompileOptions& compile, const Dataset& heldout, TuneSummary& summary);

// A warning of `summary` where bounds on accuracy rest on the samples of the search alone.
void WarnWithoutHeldout(TuneSummary& summary);

// Chooses a point: with bounds on accuracy, one that held-out samples certify
// (search/trial/certify.h), where there are some. Runs nothing.
void ChooseAndCertify(std::uint64_t seed, TuneSummary& summary);

}  // namespace halftone
