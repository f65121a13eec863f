#include "src/accuracy/labels.h"

#include <fmt/format.h>

#include "src/accuracy/input_file.h"
#include "src/accuracy/metrics.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Labels that no output can be compared with, or that name a class which does not exist, would give
// a top-1 that means nothing.
void CheckLabels(const Graph& graph, const std::string& path, const Labels& labels) {
  const auto rows = static_cast<std::int64_t>(labels.at(0).size());
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
  const std::vector<std::int64_t> values = IntegersOf(tensor);
  const std::size_t each = values.size() / sample_count;
  Labels labels;
  for (std::size_t s = 0; s < sample_count; ++s) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(s * each);
    labels.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
  if (!graph.outputs.empty()) {
    CheckLabels(graph, path, labels);
  }
  return labels;
}

}  // namespace halftone
