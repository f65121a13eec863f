// Outputs of integers and booleans: classes of an ArgMax, masks, indices. They have no error that
// could be small; their elements are equal to those of float32 or they are not.
#pragma once

#include <optional>
#include <string>

#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Whether no output is floating: the network is judged by agreement then.
bool AllOutputsDiscrete(const Graph& graph);

// The share of equal elements, in [0, 1]; 1 where there are none. Booleans are equal that are both
// true or both false. Requires equal types.
double ShareOfEqual(const Tensor& reference, const Tensor& actual);

// "98.50 %". All and none alone are "100 %" and "0 %": what is close to them has as many digits as
// show that it is not.
std::string FormatShare(double share);

// A clause why the metric has no value for this network: it compares floating outputs and there are
// none, or the other way round. Empty where it has one as far as types tell.
std::optional<std::string> WhyNotOfOutputs(const MetricRow& metric, const Graph& graph);

// How far the outputs are from float32's where strategies compare plans: the mean of rel_l2; where
// no output is floating, the mean share of elements that differ. 1 where neither is defined. 0 for
// identical outputs.
double OutputErrorOf(const Accuracy& accuracy);

// The metric of OutputErrorOf(); null where there is none.
const MetricValue* OutputErrorMetric(const Accuracy& accuracy);

}  // namespace halftone
