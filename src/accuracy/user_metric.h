// The user's own metric: a program that gets the outputs of a configuration as files and prints one
// number. The contract: docs/metric_program.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/ir/tensor.h"

namespace halftone {

// Owns a folder for the files, which goes with it. Not thread safe.
class UserMetric {
 public:
  // Writes samples.txt and outputs.txt. `metric` has a command. Error kIo.
  UserMetric(LossMetric metric, const Dataset& dataset, std::span<const std::string> output_names);
  ~UserMetric();
  UserMetric(const UserMetric&) = delete;
  UserMetric& operator=(const UserMetric&) = delete;

  // reference/<sample>_<output>.npy and outputs/<sample>_<output>.npy. Error kIo.
  void WriteReference(std::size_t sample, std::span<const Tensor> outputs) const;
  void WriteOutputs(std::size_t sample, std::span<const Tensor> outputs) const;

  // Runs the program on what was written. Error kUsage: it cannot be started; kUnsupported: it
  // failed, took too long, or did not print one finite number.
  [[nodiscard]] MetricValue Run() const;

 private:
  LossMetric metric_;
  std::filesystem::path folder_;
};

// The one finite number that `text` is, with white space around it or without. Error kUnsupported
// naming `program`.
double ParseMetricOutput(const std::string& text, const std::string& program);

}  // namespace halftone
