// Choice among ranges of a tensor by the error that each makes at the results of its readers.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Cost of a sample in float32 runs: every operator once for each of the five methods of `auto`.
inline constexpr double kCompareCost = 6;

// `factors`: of the values that have any; their candidates are ranges of the value divided by them.
// Per value: the index of its candidate with the least sum of error powers at the results of the
// operators that read it, each relative to the power of that result, with the value alone rounded;
// where no operator computes from it, at the value itself. The first of equal ones. `on_sample` is
// called after each sample; false: no time is left for another, and those until then decide.
// `goes_on` is asked before each value, whose candidates take as long as many runs; false: no time
// is left, and values that no sample judged are not in the result. Empty: there is time.
std::map<ValueId, std::size_t> BestAtReaders(
    const Graph& graph, const std::map<ValueId, std::vector<ValueRange>>& candidates,
    const std::map<ValueId, ChannelFactors>& factors, const Dataset& samples,
    const CompileOptions& compile, const ThreadPool& pool, const std::function<bool()>& on_sample,
    const std::function<bool()>& goes_on = {});

}  // namespace halftone
