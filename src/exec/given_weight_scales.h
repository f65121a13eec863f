// Scales that a quantisation gives for constant weights, on their way through what folds them.
#pragma once

#include <optional>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// The scales that the quantisation has for a constant, or for the constant that passes made it of:
// those times what was folded into each channel of the result, which lies along `channel_axis`. The
// integers stay, or become their opposites where the factor is below 0. Empty: it has none, or as
// many as fit no channels of the new constant.
std::optional<WeightScales> GivenWeightScales(const Graph& graph, ValueId weights, int channel_axis,
                                              const Quantization& quantization);

}  // namespace halftone
