// User metric: a program of the user that gets the outputs of a configuration as files and prints
// one number, or one a sample (docs/guide/measuring_elsewhere.md), or a function that gets them in
// memory (halftone/metric.h).
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

  // Take the outputs of float32, and those of the configuration in place of earlier ones. Error
  // kIo.
  virtual void TakeReference(std::size_t sample, std::span<const Tensor> outputs) = 0;
  virtual void TakeOutputs(std::size_t sample, std::span<const Tensor> outputs) = 0;

  // Judges the outputs taken. With one number for each sample, gives their mean and the values.
  // Error kUnsupported: something else than one finite number or one for each sample. For a program
  // also kUsage: it cannot be started; kUnsupported: it failed or took too long; StoppedByUser. For
  // a function also what it throws.
  [[nodiscard]] virtual MetricValue Run() = 0;
};

// Null for a metric that is built in. A program gets its files in a temporary folder, which goes
// with the object: reference/<sample>_<output>.npy, outputs/<sample>_<output>.npy, samples.txt and
// outputs.txt. Error kIo.
std::unique_ptr<UserMetric> MakeUserMetric(const LossMetric& metric, const Dataset& dataset,
                                           std::span<const std::string> output_names);

// Parses `text` as one finite number, or as `samples` of them, with white space around each. Error
// kUnsupported naming `program`.
std::vector<double> ParseMetricOutput(const std::string& text, const std::string& program,
                                      std::size_t samples);

}  // namespace halftone
