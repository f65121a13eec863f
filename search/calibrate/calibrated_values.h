// Values of a network that a calibration finds ranges of.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Sources of the float32 values that an operator with an integer form makes or reads, by number.
// `sources`: RangeSources() of the graph.
std::vector<ValueId> CalibratedValues(const Graph& graph, const std::vector<ValueId>& sources);

// A tensor that was infinite or NaN on a sample of the calibration.
struct NonFiniteTensor {
  std::string node;  // that makes it; empty: an input of the network
  std::string tensor;
};

// Those of Calibrate(), in the order of the graph: what an operator with an integer form makes or
// reads, and `calibrated` has no scale for.
std::vector<NonFiniteTensor> NonFiniteTensors(const Graph& graph, const Quantization& calibrated);

// "node 'log' stays out of 8 bits: its result 'y' is infinite or NaN on samples of the calibration"
std::string Describe(const NonFiniteTensor& tensor);

}  // namespace halftone
