// Facts about a run for its report: network, samples, machine, options.
#pragma once

#include <span>
#include <vector>

#include "search/space/space.h"
#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Returns the weight of each profile: TuneOptions::shape_weights or, without these, its number of
// samples. `parts` is parallel to `profiles`. Error kUsage unless shape_weights has a number above
// 0 for each profile.
std::vector<double> WeightsOf(std::span<const Model> profiles, const TuneOptions& options,
                              std::span<const DataSplit> parts);

// `parts` and `weights` are parallel to `profiles`.
RunFacts FactsOf(std::span<const Model> profiles, const TuneOptions& options,
                 const TargetSpec& target, std::span<const DataSplit> parts,
                 std::span<const double> weights, const SearchSpace& space);

}  // namespace halftone
