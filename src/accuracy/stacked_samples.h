// Samples stacked in one file per input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/accuracy/sample_reader.h"
#include "src/accuracy/stored_tensor.h"
#include "src/ir/graph.h"

namespace halftone {

// The files of all inputs, in order, with equal numbers of samples. A scalar input, and a single
// sample without elements, is the same in every sample.
class StackedFiles {
 public:
  // Reads headers only. Error kModel, which says what to do: another shape than the input's, a
  // dtype that is not converted to it, different numbers of samples.
  StackedFiles(const std::vector<Value>& inputs, std::vector<StoredTensor> files);

  [[nodiscard]] std::int64_t samples() const { return samples_; }

  // The files; the first one names the samples.
  [[nodiscard]] const std::vector<StoredTensor>& files() const { return files_; }

  // The inputs of a sample, converted and checked (src/accuracy/input_file.h).
  [[nodiscard]] std::vector<Tensor> Read(const std::vector<Value>& inputs,
                                         std::int64_t sample) const;

  // Inputs whose files hold doubles, which are rounded to float32, by number.
  [[nodiscard]] std::vector<std::size_t> Rounded(const std::vector<Value>& inputs) const;

 private:
  std::vector<StoredTensor> files_;
  std::int64_t samples_ = 1;
};

// Samples named "<name>[0]", "<name>[1]", ...
class StackedSamples : public SampleReader {
 public:
  StackedSamples(std::vector<Value> inputs, StackedFiles files, std::string name)
      : inputs_(std::move(inputs)), files_(std::move(files)), name_(std::move(name)) {}

  [[nodiscard]] std::size_t size() const override {
    return static_cast<std::size_t>(files_.samples());
  }

  [[nodiscard]] std::string NameOf(std::size_t index) const override;

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
    return files_.Read(inputs_, static_cast<std::int64_t>(index));
  }

 private:
  std::vector<Value> inputs_;
  StackedFiles files_;
  std::string name_;
};

// The inputs of a graph, in its order.
std::vector<Value> InputsOf(const Graph& graph);

}  // namespace halftone
