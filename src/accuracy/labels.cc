#include "src/accuracy/labels.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/input_file.h"
#include "src/accuracy/metrics.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Labels that no output can be compared with, or that name a class which does not exist, would give
// a top-1 that means nothing.
void CheckLabels(const Graph& graph, const std::string& path, const Labels& labels) {
  const auto rows = std::ssize(labels[0]);
  std::int64_t classes = 0;
  for (const ValueId id : graph.outputs) {
    const Shape& shape = graph.value(id).type.shape;
    const auto axis = ClassAxis(shape);
    if (axis && IsFloating(graph.value(id).type.dtype) &&
        shape.ElementCount() == rows * shape[*axis]) {
      classes = shape[*axis];
      break;
    }
  }
  if (AllOutputsDiscrete(graph)) {
    throw Error(ErrorKind::kModel,
                fmt::format("'{}': labels are compared with the largest class of a floating "
                            "output, and all outputs of this network are integers or booleans, "
                            "which are compared with those of float32; leave the labels out",
                            path));
  }
  if (classes == 0) {
    throw Error(
        ErrorKind::kModel,
        fmt::format(
            "'{}' holds {} labels a sample, but no output of the network has that many rows of "
            "classes: expected class indices, not one-hot vectors",
            path, rows));
  }
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    for (const std::int64_t label : labels[sample]) {
      if (label >= classes) {
        throw Error(ErrorKind::kModel,
                    fmt::format("'{}': sample {} has the label {}, the network has {} classes",
                                path, sample, label, classes));
      }
    }
  }
}

}  // namespace

Labels::Labels(std::vector<std::int64_t> values, std::size_t count, std::size_t each)
    : values_(std::move(values)), count_(count), each_(each) {
  Check(values_.size() == count * each, "as many labels for each sample");
}

Labels::Labels(std::initializer_list<std::initializer_list<std::int64_t>> rows)
    : count_(rows.size()), each_(rows.size() == 0 ? 0 : rows.begin()->size()) {
  for (const auto& row : rows) {
    Check(row.size() == each_, "as many labels for each sample");
    values_.insert(values_.end(), row);
  }
}

Labels Labels::Part(std::span<const std::size_t> samples) const {
  std::vector<std::int64_t> values;
  values.reserve(samples.size() * each_);
  for (const std::size_t sample : samples) {
    const std::span<const std::int64_t> of_sample = (*this)[sample];
    values.insert(values.end(), of_sample.begin(), of_sample.end());
  }
  return {std::move(values), samples.size(), each_};
}

Labels ReadLabels(const Graph& graph, const std::string& path, std::size_t sample_count) {
  const Tensor tensor = ReadTensorFile(path);
  if (IsFloating(tensor.dtype())) {
    throw Error(ErrorKind::kModel, fmt::format("'{}': expected labels of an integer type, found {}",
                                               path, NameOf(tensor.dtype())));
  }
  const auto samples = static_cast<std::int64_t>(sample_count);
  const Shape& input = graph.inputs.empty() ? Shape() : graph.value(graph.inputs[0]).type.shape;
  const std::int64_t batch = input.rank() > 0 ? input[0] : 1;
  const std::int64_t rows = tensor.shape().rank() > 0 ? tensor.shape()[0] : 1;
  if (rows != samples && rows != samples * batch) {
    throw Error(ErrorKind::kModel,
                fmt::format("'{}': expected labels for {} samples along axis 0, found {}", path,
                            samples, tensor.type().ToString()));
  }
  std::vector<std::int64_t> values = IntegersOf(tensor);
  const std::size_t each = values.size() / sample_count;
  Labels labels(std::move(values), sample_count, each);
  if (!graph.outputs.empty()) {
    CheckLabels(graph, path, labels);
  }
  return labels;
}

}  // namespace halftone
