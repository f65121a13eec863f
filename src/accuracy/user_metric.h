// User metric: a program or function of the user that judges the outputs of a configuration. A
// program gets them as files and prints one number, or one for each sample
// (docs/guide/measuring_elsewhere.md). A function gets them in memory (halftone/metric.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/ir/tensor.h"

namespace halftone {

// Not thread safe.
class UserMetric {
 public:
  virtual ~UserMetric() = default;

  // Stores a copy of the float32 outputs of a sample. Error kIo: a file cannot be written.
  virtual void TakeReference(std::size_t sample, std::span<const Tensor> outputs) = 0;
  // Stores a copy of the outputs of the configuration for a sample, in place of earlier ones. Error
  // kIo: a file cannot be written.
  virtual void TakeOutputs(std::size_t sample, std::span<const Tensor> outputs) = 0;

  // Judges the stored outputs. If the metric gives one number for each sample, the result has these
  // values and their mean; a single number is the mean. Error kUnsupported: neither one number nor
  // one for each sample, or a number that is not finite or above 1e100 in magnitude. A program may
  // also cause error kUsage (it cannot be started), error kUnsupported (it failed or took too long)
  // and StoppedByUser. Exceptions of a function pass through.
  [[nodiscard]] virtual MetricValue Run() = 0;
};

// Makes the metric of a program or function; null for a built-in metric. A program gets its files
// in a temporary folder that is removed with the object: reference/<sample>_<output>.npy,
// outputs/<sample>_<output>.npy, samples.txt and outputs.txt. Error kIo: the folder cannot be
// written.
std::unique_ptr<UserMetric> MakeUserMetric(const LossMetric& metric, const Dataset& dataset,
                                           std::span<const std::string> output_names);

// Parses `text`, the output of `program`: one finite number, or `samples` finite numbers, separated
// by white space. Error kUnsupported naming `program`: anything else.
std::vector<double> ParseMetricOutput(const std::string& text, const std::string& program,
                                      std::size_t samples);

}  // namespace halftone
