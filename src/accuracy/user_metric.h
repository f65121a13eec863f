// User metric: a program of the user that gets the outputs of a configuration as files and prints
// one number, or one a sample. The contract: docs/metric_program.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/temporary_folder.h"
#include "src/ir/tensor.h"

namespace halftone {

// Owns a temporary folder for the files. Not thread safe.
class UserMetric {
 public:
  // Writes samples.txt and outputs.txt. `metric` must have a command. Error kIo.
  UserMetric(LossMetric metric, const Dataset& dataset, std::span<const std::string> output_names);

  // Write reference/<sample>_<output>.npy and outputs/<sample>_<output>.npy. Error kIo.
  void WriteReference(std::size_t sample, std::span<const Tensor> outputs) const;
  void WriteOutputs(std::size_t sample, std::span<const Tensor> outputs) const;

  // Runs the program on the written files; with a number a sample their mean, and the values. Error
  // kUsage: it cannot be started; kUnsupported: it failed, took too long, or printed something else
  // than one finite number or one for each sample.
  [[nodiscard]] MetricValue Run() const;

 private:
  LossMetric metric_;
  std::size_t samples_;
  TemporaryFolder folder_;
};

// Parses `text` as one finite number, or as `samples` of them, with white space around each. Error
// kUnsupported naming `program`.
std::vector<double> ParseMetricOutput(const std::string& text, const std::string& program,
                                      std::size_t samples);

}  // namespace halftone
