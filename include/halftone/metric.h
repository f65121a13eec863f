// Metrics of accuracy: the choice of the metric that a search uses as its loss. It is a built-in
// metric by name, a program of the user, or a function of the caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "halftone/data.h"
#include "halftone/tensor.h"

namespace halftone {

// Input of a metric: the outputs of one configuration on all samples.
struct JudgedOutputs {
  std::vector<std::string> samples;             // names of the samples
  std::vector<std::string> outputs;             // names of the outputs, in the network's order
  std::vector<std::vector<Tensor>> values;      // values[sample][output]
  std::vector<std::vector<Tensor>> references;  // outputs of float32, in the same order
  Labels labels;                                // of each sample; empty: no labels
};

// Returns one finite number for all samples, or one for each sample in order, whose mean then
// counts. Magnitudes are at most 1e100.
//
// The function is called by the thread that measures, once for float32 and once for each
// configuration, and again for both on held-out samples. An exception other than Error ends the
// measurement and reaches the caller. Another count of numbers, or a number that is not finite or
// too large, is Error kUnsupported. A search rejects the configuration for which the function fails
// with Error.
using MetricFunction = std::function<std::vector<double>(const JudgedOutputs&)>;

struct MetricArguments {
  // Name of a metric (docs/internals/measuring.md), "OUTPUT:METRIC" for one output alone,
  // "command:PROGRAM ARGUMENTS", or "function:NAME" for `function`. Empty: rel_l2, or agreement for
  // a network without floating outputs. A knowledge base identifies a function by its name, so
  // another function needs another name.
  std::string metric;
  std::string better;      // for a command or function: "higher" or "lower" is better
  double timeout_s = 600;  // limit in seconds on one run of a command
  std::shared_ptr<const MetricFunction> function = nullptr;

  friend bool operator==(const MetricArguments&, const MetricArguments&) = default;
};

}  // namespace halftone
