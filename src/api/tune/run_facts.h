// Facts about a run: network, samples, machine, options.
#pragma once

#include <span>
#include <vector>

#include "search/space/space.h"
#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Relative frequency of the runs of each profile, above 0: TuneOptions::shape_weights, or the
// number of its samples. Error kUsage: not a number above 0 for each.
std::vector<double> WeightsOf(std::span<const Model> profiles, const TuneOptions& options,
                              std::span<const DataSplit> parts);

// `parts` and `weights` are parallel to `profiles`.
RunFacts FactsOf(std::span<const Model> profiles, const TuneOptions& options,
                 const TargetSpec& target, std::span<const DataSplit> parts,
                 std::span<const double> weights, const SearchSpace& space);

}  // namespace halftone
