// Sources of samples that are read one at a time, so that memory holds only the samples in use.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

// Inputs of one run of the network: one tensor for each graph input, in graph order and with the
// types of the graph.
struct Sample {
  std::string name;  // source of the sample: "test_data_set_0", "digits.npy[17]"
  std::vector<Tensor> inputs;
  // Inputs of each step of a sequence (src/accuracy/state_links.h). `inputs` then has the inputs of
  // the middle step. Empty: the sample is one run.
  std::vector<std::vector<Tensor>> steps = {};
};

// Source of samples. Several threads may use it at once.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;

  [[nodiscard]] virtual std::string NameOf(std::size_t index) const = 0;

  // The inputs of a sample. Errors kIo and kModel: its file cannot be read, or has invalid data
  // such as NaN.
  [[nodiscard]] virtual std::vector<Tensor> Read(std::size_t index) const = 0;

  // Sample::steps of a sample.
  [[nodiscard]] virtual std::vector<std::vector<Tensor>> Steps(std::size_t /*index*/) const {
    return {};
  }
};

// Samples in memory.
class KeptSamples : public SampleReader {
 public:
  explicit KeptSamples(std::vector<Sample> samples) : samples_(std::move(samples)) {}

  [[nodiscard]] std::size_t size() const override { return samples_.size(); }

  [[nodiscard]] std::string NameOf(std::size_t index) const override {
    return samples_.at(index).name;
  }

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
    return samples_.at(index).inputs;
  }

  [[nodiscard]] std::vector<std::vector<Tensor>> Steps(std::size_t index) const override {
    return samples_.at(index).steps;
  }

 private:
  std::vector<Sample> samples_;
};

}  // namespace halftone
