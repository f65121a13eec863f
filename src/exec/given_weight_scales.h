// Scales that a quantisation gives for constant weights, carried over to constants that passes
// fold.
#pragma once

#include <optional>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Scales that the quantisation gives for a constant. A constant that passes made of another has the
// scales of that other, times the factor folded into each channel of the result, which lies along
// `channel_axis`; its integers stay, or change their sign where the factor is below 0. Empty: no
// scales are given, or their number does not fit the channels of the new constant.
std::optional<WeightScales> GivenWeightScales(const Graph& graph, ValueId weights, int channel_axis,
                                              const Quantization& quantization);

}  // namespace halftone
