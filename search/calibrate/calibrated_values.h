// Calibrated values: the values of a network whose ranges a calibration finds.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Range sources (range_classes.h) of the float32 values that an operator with an integer form makes
// or reads, in ascending order. `sources`: RangeSources() of the graph.
std::vector<ValueId> CalibratedValues(const Graph& graph, const std::vector<ValueId>& sources);

// A tensor that was infinite or NaN on a sample of the calibration.
struct NonFiniteTensor {
  std::string node;  // name of the node that makes it; empty: an input of the network
  std::string tensor;
};

// The calibrated values for which `calibrated`, a result of Calibrate(), has no scale, in the order
// of the graph.
std::vector<NonFiniteTensor> NonFiniteTensors(const Graph& graph, const Quantization& calibrated);

// Sentence for users: "node 'log' stays out of 8 bits: its result 'y' is infinite or NaN on samples
// of the calibration".
std::string Describe(const NonFiniteTensor& tensor);

}  // namespace halftone
