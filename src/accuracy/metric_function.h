// Metric function: a metric that the calling program computes itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/accuracy/labels.h"
#include "src/ir/tensor.h"

namespace halftone {

// Input of a metric: the outputs of one configuration on all samples.
struct JudgedOutputs {
  std::vector<std::string> samples;             // names
  std::vector<std::string> outputs;             // names, in the order of the network
  std::vector<std::vector<Tensor>> values;      // by sample, then by output
  std::vector<std::vector<Tensor>> references;  // the same of float32
  Labels labels;                                // of each sample; empty: there are none
};

// Returns one finite number for all samples, or one for each in order; then their mean counts, with
// an interval. Called by the thread that measures, once for float32 and once for each candidate,
// and so again on held-out samples. An exception ends the measurement. Another count of numbers, or
// one that is not finite, rejects the candidate (Error kUnsupported).
using MetricFunction = std::function<std::vector<double>(const JudgedOutputs&)>;

}  // namespace halftone
