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

// Statistics of the floating inputs, results of nodes and constants of a network, by value.
using ProfiledTensors = std::map<ValueId, TensorStatistics>;

using ObservedRanges = std::map<ValueId, RangeCollector>;

// Runs the plan once over the samples. Memory: all floating values of one run. Errors as Compile(),
// kUnsupported: Executable::OtherCount().
ObservedRanges RangesOf(const Graph& graph, const PrecisionPlan& plan, const Dataset& samples,
                        int threads);

// Runs the plan twice over the samples: for the ranges, and for histograms of `bins` bins. Values
// that are infinite or NaN somewhere are left out, and named in `left_out`. Memory: all floating
// values of one run, and `bins` counts of each. The same for any number of threads (0: all cores).
// Errors as RangesOf().
ProfiledTensors ProfileTensors(const Graph& graph, const PrecisionPlan& plan,
                               const Dataset& samples, std::size_t bins, int threads,
                               std::vector<std::string>& left_out);

}  // namespace halftone
