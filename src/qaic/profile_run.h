// Ranges and histograms of the tensors of a network over samples.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// Statistics of the floating inputs, node results and constants of a network.
using ProfiledTensors = std::map<ValueId, TensorStatistics>;

using ObservedRanges = std::map<ValueId, RangeCollector>;

// Runs the plan once over the samples. Memory: all floating tensors of one run. `threads` 0: all
// cores. Error kUnsupported: as Compile(); Executable::OtherCount() is not empty for a sample.
ObservedRanges RangesOf(const Graph& graph, const PrecisionPlan& plan, const Dataset& samples,
                        int threads);

// Runs the plan twice over the samples: for the ranges, then for histograms of `bins` bins. A
// tensor that is infinite or NaN anywhere is left out, and its name is added to `left_out`. Memory:
// all floating tensors of one run, and `bins` counts for each. The result does not depend on
// `threads` (0: all cores). Errors as RangesOf().
ProfiledTensors ProfileTensors(const Graph& graph, const PrecisionPlan& plan,
                               const Dataset& samples, std::size_t bins, int threads,
                               std::vector<std::string>& left_out);

}  // namespace halftone
