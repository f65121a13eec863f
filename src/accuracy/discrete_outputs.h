// Discrete outputs: integers and booleans, such as classes of an ArgMax, masks and indices. Their
// errors have no size: an element equals that of float32 or it does not.
#pragma once

#include <optional>
#include <string>

#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// True if the network has outputs and none is floating. The loss is then the metric agreement.
bool AllOutputsDiscrete(const Graph& graph);

// True if an output is the result of a Softmax or LogSoftmax along the axis that top-1 reads
// (ClassAxis()), so that its elements are scores of classes. False for a map whose channel axis
// holds the classes.
bool MakesClasses(const Graph& graph);

// Share of equal elements, in [0, 1]; 1 for tensors without elements. Booleans are equal if both
// are true or both are false. Requires equal types.
double ShareOfEqual(const Tensor& reference, const Tensor& actual);

// A share as text: "98.50 %". Only 1 gives "100 %" and only 0 gives "0 %"; shares close to these
// get enough digits to differ.
std::string FormatShare(double share);

// Reason, as a clause, why the metric has no value for this network: the metric compares floating
// outputs and there are none, or it compares discrete ones and there are none. Empty: the types of
// the outputs allow the metric.
std::optional<std::string> WhyNotOfOutputs(const MetricRow& metric, const Graph& graph);

// Output error by which strategies compare plans: the mean of rel_l2, or without it the mean share
// of elements that differ. It is 0 for identical outputs, and 1 if neither metric is defined.
double OutputErrorOf(const Accuracy& accuracy);

// The metric from which OutputErrorOf() is computed; null: neither is defined.
const MetricValue* OutputErrorMetric(const Accuracy& accuracy);

}  // namespace halftone
