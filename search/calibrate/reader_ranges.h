// Choice among candidate ranges of a tensor, by the error that each causes at the results of the
// operators that read it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "search/calibrate/float_values.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Cost of a sample in float32 runs: one run that keeps every value, which costs six
// (kCorrectCost), and every operator once more for each of the five methods of `auto`, with its
// operands quantised and its error.
inline constexpr double kCompareCost = 11;

// Returns, for each value, the index of its best candidate range: the one with the least sum of
// error powers at the results of the value's readers, the first of equal ones. Only this value is
// rounded. Each error power is relative to the power of the result. A value that no operator
// computes from is judged by its own error. `factors` has the channel factors of the values that
// have some; the candidates of such a value are ranges of the value divided by its factors.
// If time ends, the samples so far decide. runs.goes_on is called before each value, whose
// candidates together take many runs; if it returns false, the result lacks the values that were
// not judged on any sample.
std::map<ValueId, std::size_t> BestAtReaders(
    const Graph& graph, const std::map<ValueId, std::vector<ValueRange>>& candidates,
    const std::map<ValueId, ChannelFactors>& factors, const SampleRuns& runs);

}  // namespace halftone
