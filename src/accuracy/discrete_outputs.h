// Discrete outputs, integers and booleans: classes of an ArgMax, masks, indices. They have no small
// error: an element equals that of float32 or it does not.
#pragma once

#include <optional>
#include <string>

#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// True if no output is floating: agreement is then the loss.
bool AllOutputsDiscrete(const Graph& graph);

// True if a Softmax or LogSoftmax makes an output along the axis that top-1 reads (ClassAxis()), so
// that its elements are classes. False for a map of classes with the classes in front.
bool MakesClasses(const Graph& graph);

// Share of equal elements, in [0, 1]; 1 without elements. Booleans are equal when both are true or
// both false. Requires equal types.
double ShareOfEqual(const Tensor& reference, const Tensor& actual);

// "98.50 %". Only all and none give "100 %" and "0 %": shares close to them get enough digits to
// differ.
std::string FormatShare(double share);

// Reason why the metric has no value for this network, a clause: it compares floating outputs and
// there are none, or the other way round. Empty where types do not rule it out.
std::optional<std::string> WhyNotOfOutputs(const MetricRow& metric, const Graph& graph);

// Output error by which strategies compare plans: the mean of rel_l2; where no output is floating,
// the mean share of elements that differ. 1 where neither is defined, 0 for identical outputs.
double OutputErrorOf(const Accuracy& accuracy);

// The metric of OutputErrorOf(); null where there is none.
const MetricValue* OutputErrorMetric(const Accuracy& accuracy);

}  // namespace halftone
