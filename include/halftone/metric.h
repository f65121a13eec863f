// The loss of a search: a metric by its name, a program of the user, or a function of the caller.
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

struct MetricArguments {
  // A metric by name (docs/reference/options.md), "OUTPUT:" and such a name, or "command:PROGRAM
  // ARGUMENTS"; empty: rel_l2, or agreement for a network without floating outputs. With `function`
  // its name, "function:NAME". A knowledge base identifies the function by this name, so another
  // function needs another name.
  std::string metric;
  std::string better;      // direction of a command or function: "higher" or "lower"
  double timeout_s = 600;  // limit of one run of a command
  std::shared_ptr<const MetricFunction> function = nullptr;

  friend bool operator==(const MetricArguments&, const MetricArguments&) = default;
};

}  // namespace halftone
