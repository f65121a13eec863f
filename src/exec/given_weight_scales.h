// Scales that a quantisation gives for constant weights. Constants that passes make of these
// weights take the scales over.
#pragma once

#include <optional>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Scales that the quantisation gives for the constant `weights`, whose result channels lie along
// `channel_axis`. A constant that a pass made of another one takes over the scales of that one,
// times the factor that was folded into each channel. Its integers stay; a factor below 0 changes
// their sign. Empty if no scales are given, or if the number of the scales taken over does not fit
// the channels. Scales given for `weights` itself are returned whatever their number is.
std::optional<WeightScales> GivenWeightScales(const Graph& graph, ValueId weights, int channel_axis,
                                              const Quantization& quantization);

}  // namespace halftone
