// Bias correction: the bias of a product is changed to subtract the mean error that rounding adds
// to each result channel.
//
// From layer to layer, the means of errors add up in amplitude, but their zero-mean remainders only
// in power (Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
// 2019).
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

// Cost of one sample in float32 runs: each product runs a second time.
inline constexpr double kCorrectCost = 2;

// Shift of each result channel, by name of the product.
using BiasShifts = std::map<std::string, std::vector<float>, std::less<>>;

// Shifts of all products with constant weights. The shift of a channel is ShiftOf() of the
// differences between the channel means of two results (channel_means.h): that of the product in
// float32, and that of its integer form on the same float operands. If a BatchNormalization is
// folded into the weights, its result is the result of the product. A product has no shifts if it
// has no integer form, or if another operator that scales its result is folded into its weights.
// `on_sample` is called after each sample; if it returns false, no time is left for another sample.
// `goes_on` is called before the weights of each product are quantised; if it returns false, the
// remaining products have no shifts. An empty `goes_on` sets no limit.
BiasShifts LocalBiasShifts(const Graph& graph, const Quantization& quantization,
                           const Dataset& samples, const CompileOptions& compile,
                           const ThreadPool& pool, const std::function<bool()>& on_sample,
                           const std::function<bool()>& goes_on = {});

}  // namespace halftone
