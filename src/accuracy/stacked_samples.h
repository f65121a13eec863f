// Samples that are stacked in one file for each input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/accuracy/sample_reader.h"
#include "src/accuracy/stored_tensor.h"
#include "src/ir/graph.h"

namespace halftone {

// One file for each input, all with the same number of samples. A scalar input has the same value
// in every sample; so has an input without elements if its file has one sample.
class StackedFiles {
 public:
  // Checks the types of the files and reads no elements. Throws ShapeMismatch if a shape does not
  // fit its input. Error kModel: a dtype cannot be converted, or the numbers of samples differ.
  StackedFiles(const std::vector<Value>& inputs, std::vector<StoredTensor> files);

  [[nodiscard]] std::int64_t samples() const { return samples_; }

  [[nodiscard]] const std::vector<StoredTensor>& files() const { return files_; }

  // Reads the inputs of a sample; ConvertedFor() and CheckFinite() (src/accuracy/input_file.h)
  // convert and check them.
  [[nodiscard]] std::vector<Tensor> Read(const std::vector<Value>& inputs,
                                         std::int64_t sample) const;

  // Indices of the float32 inputs whose files hold float64, which is rounded.
  [[nodiscard]] std::vector<std::size_t> Rounded(const std::vector<Value>& inputs) const;

 private:
  std::vector<StoredTensor> files_;
  std::int64_t samples_ = 1;
};

// Samples in StackedFiles, with the names "<name>[0]", "<name>[1]", ...
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

// The inputs of a graph, in graph order.
std::vector<Value> InputsOf(const Graph& graph);

}  // namespace halftone
