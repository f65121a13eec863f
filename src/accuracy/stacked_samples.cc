#include "src/accuracy/stacked_samples.h"

#include <fmt/format.h>

#include <utility>

#include "src/accuracy/input_file.h"
#include "src/accuracy/sample_count.h"
#include "src/base/error.h"

namespace halftone {

StackedFiles::StackedFiles(const std::vector<Value>& inputs, std::vector<StoredTensor> files)
    : files_(std::move(files)) {
  std::int64_t count = -1;
  std::size_t counted = 0;  // the file that said so
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::int64_t samples = SampleCount(inputs[i], files_[i].path(), files_[i].type());
    const Shape& shape = inputs[i].type.shape;
    if (shape.rank() == 0 || (shape.ElementCount() == 0 && samples == 1)) {
      continue;
    }
    if (count >= 0 && samples != count) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("expected as many samples for every input, '{}' holds {}, '{}' holds "
                      "{}: leave out what the others do not have",
                      files_[counted].path().string(), count, files_[i].path().string(), samples));
    }
    count = samples;
    counted = i;
  }
  samples_ = count < 0 ? 1 : count;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    CheckConvertible(inputs[i], files_[i].path(), files_[i].type().dtype);
  }
}

std::vector<Tensor> StackedFiles::Read(const std::vector<Value>& inputs,
                                       std::int64_t sample) const {
  std::vector<Tensor> tensors;
  tensors.reserve(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const Shape& shape = inputs[i].type.shape;
    const std::int64_t number = shape.rank() == 0 ? 0 : sample;
    tensors.push_back(ConvertedFor(inputs[i], files_[i].path(),
                                   files_[i].Read(number * shape.ElementCount(), shape)));
    CheckFinite(inputs[i], files_[i].path(), number, tensors.back());
  }
  return tensors;
}

std::vector<std::size_t> StackedFiles::Rounded(const std::vector<Value>& inputs) const {
  std::vector<std::size_t> rounded;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].type().dtype == DType::kFloat64 && inputs[i].type.dtype == DType::kFloat32) {
      rounded.push_back(i);
    }
  }
  return rounded;
}

std::string StackedSamples::NameOf(std::size_t index) const {
  return fmt::format("{}[{}]", name_, index);
}

std::vector<Value> InputsOf(const Graph& graph) {
  std::vector<Value> inputs;
  for (const ValueId id : graph.inputs) {
    inputs.push_back(graph.value(id));
  }
  return inputs;
}

}  // namespace halftone
