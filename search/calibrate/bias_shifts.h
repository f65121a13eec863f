// Bias correction: the bias of a product is changed to subtract the mean error that rounding adds
// to each result channel.
//
// From layer to layer, the means of errors add up in amplitude, but their zero-mean remainders only
// in power (Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
// 2019).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/calibrate/float_values.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Cost of one sample in float32 runs: one run that keeps every value, which costs six because it
// takes memory for the first time (docs/measurements/2026-11-28-zen5-short-searches.md), and each
// product once more for each quantisation.
inline constexpr double kCorrectCost = 6;
inline constexpr double kCorrectCostOfEach = 1;

// Shift of each result channel, by name of the product.
using BiasShifts = std::map<std::string, std::vector<float>, std::less<>>;

// Shifts of all products with constant weights, for each of the quantisations. float32 runs once on
// each sample for all of them. The shift of a channel is ShiftOf() of the
// differences between the channel means of two results (channel_means.h): that of the product in
// float32, and that of its integer form on the same float operands. If a BatchNormalization is
// folded into the weights, its result is the result of the product. A product has no shifts if it
// has no integer form, or if another operator that scales its result is folded into its weights.
// runs.goes_on is called before the weights of each product are quantised; if it returns false, the
// remaining products have no shifts.
std::vector<BiasShifts> LocalBiasShifts(const Graph& graph,
                                        std::span<const Quantization* const> quantizations,
                                        const SampleRuns& runs);

}  // namespace halftone
