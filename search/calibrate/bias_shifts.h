// Bias correction: what rounding adds to the mean of each result channel, taken off by the bias.
//
// Means of errors add up in amplitude from layer to layer, rests in power
// (Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction, 2019).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Cost of a sample in float32 runs: the products once more.
inline constexpr double kCorrectCost = 2;

using BiasShifts = std::map<std::string, std::vector<float>, std::less<>>;

// Per product with constant weights and channel: ShiftOf() the differences of the means of its
// float32 result and of its integer form on the same float operands (channel_means.h); the result
// is that behind a BatchNormalization that goes into the weights. Nothing for a product without an
// integer form, or whose result is scaled by another operator that goes into the weights.
// `on_sample` is called after each sample; false: no time is left for another. `goes_on` is asked
// before the weights of each product are quantised; false: the products behind have no shifts.
// Empty: there is time.
BiasShifts LocalBiasShifts(const Graph& graph, const Quantization& quantization,
                           const Dataset& samples, const CompileOptions& compile,
                           const ThreadPool& pool, const std::function<bool()>& on_sample,
                           const std::function<bool()>& goes_on = {});

}  // namespace halftone
