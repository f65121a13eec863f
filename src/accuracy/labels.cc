#include "src/accuracy/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <utility>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/input_file.h"
#include "src/accuracy/metrics.h"
#include "src/accuracy/value_names.h"
#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Labels of a row that is not judged: ours, and the ignore_index of PyTorch's losses.
constexpr std::int64_t kNoLabel[] = {-1, -100};

struct NamedFile {
  std::optional<std::size_t> output;
  std::string path;
};

[[noreturn]] void ThrowNoOutput(const Graph& graph, std::string_view text, std::string_view name) {
  throw Error(ErrorKind::kUsage,
              fmt::format("--labels: '{}': the network has no output '{}'; its outputs are {}",
                          Shown(text), Shown(name), NamesOf(graph, graph.outputs)));
}

// Names and paths may contain colons: the first one that has an output before it counts. A file of
// the whole name has no output before it.
NamedFile ParseArgument(const Graph& graph, const std::string& argument) {
  std::error_code error;
  if (std::filesystem::exists(argument, error)) {
    return {std::nullopt, argument};
  }
  const std::string_view text = argument;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::string_view name = Trim(text.substr(0, colon));
    if (const auto output = IndexOf(graph, graph.outputs, name)) {
      return {output, std::string(text.substr(colon + 1))};
    }
  }
  // "OUTPUT:FILE" where the file is there is a wrong name, else a missing file.
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && std::filesystem::exists(text.substr(colon + 1), error)) {
    ThrowNoOutput(graph, text, text.substr(0, colon));
  }
  return {std::nullopt, argument};
}

// "'policy' (float32 [1,10])"
std::string Described(const Graph& graph, std::size_t output) {
  const Value& value = graph.value(graph.outputs[output]);
  return fmt::format("'{}' ({})", Shown(value.name), value.type.ToString());
}

// Labels that no output can be compared with, or that name a class which does not exist, would give
// a top-1 that means nothing.
void CheckLabels(const Graph& graph, const std::string& path, const Labels& labels) {
  const auto rows = std::ssize(labels[0]);
  std::int64_t classes = 0;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    const Shape& shape = graph.value(id).type.shape;
    const auto axis = ClassAxis(shape);
    if (labels.output().value_or(i) == i && axis && IsFloating(graph.value(id).type.dtype) &&
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
        fmt::format("'{}' holds {} a sample, but {} that many rows of classes: expected class "
                    "indices, not one-hot vectors",
                    path, Counted(rows, "label"),
                    labels.output() ? fmt::format("the output {} does not have",
                                                  Described(graph, *labels.output()))
                                    : "no output of the network has"));
  }
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    for (const std::int64_t label : labels[sample]) {
      if (label < 0 && std::ranges::find(kNoLabel, label) == std::end(kNoLabel)) {
        throw Error(ErrorKind::kModel,
                    fmt::format("'{}': sample {} has the label {}; expected 0 or more, or -1 (as "
                                "-100) for a row without a label",
                                path, sample, label));
      }
      if (label >= classes) {
        throw Error(ErrorKind::kModel,
                    fmt::format("'{}': sample {} has the label {}, the {} has {} classes", path,
                                sample, label, labels.output() ? "output" : "network", classes));
      }
    }
  }
}

// `path`: source of the tensor, for messages.
Labels LabelsOf(const Graph& graph, const std::string& path, const Tensor& tensor,
                std::optional<std::size_t> output, std::size_t sample_count) {
  if (IsFloating(tensor.dtype())) {
    const Shape& shape = tensor.shape();
    const bool has_row_of_each = shape.rank() > 1 && shape[shape.rank() - 1] > 1;
    throw Error(
        ErrorKind::kModel,
        fmt::format("'{}': expected labels of an integer type, the class index of each "
                    "sample, found {}{}",
                    path, tensor.type().ToString(),
                    has_row_of_each ? ": of one-hot rows or scores, argmax(axis=-1) is it" : ""));
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
  if (tensor.dtype() == DType::kUInt64 && std::ranges::min(values) < 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("'{}': expected labels below 2^63, found {}", path,
                            static_cast<std::uint64_t>(std::ranges::min(values))));
  }
  const std::size_t each = values.size() / sample_count;
  Labels labels(std::move(values), sample_count, each, output);
  if (!graph.outputs.empty()) {
    CheckLabels(graph, path, labels);
  }
  return labels;
}

}  // namespace

Labels::Labels(std::vector<std::int64_t> values, std::size_t count, std::size_t each,
               std::optional<std::size_t> output)
    : values_(std::move(values)), count_(count), each_(each), output_(output) {
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
  return {std::move(values), samples.size(), each_, output_};
}

Labels ReadLabels(const Graph& graph, const std::string& argument, std::size_t sample_count) {
  const auto [output, path] = ParseArgument(graph, argument);
  return LabelsOf(graph, path, ReadTensorFile(path), output, sample_count);
}

Labels LabelsIn(const Graph& graph, const SampleArrays& arrays, std::size_t sample_count) {
  std::optional<std::size_t> output;
  if (!arrays.labels_output.empty()) {
    output = IndexOf(graph, graph.outputs, arrays.labels_output);
    if (!output) {
      ThrowNoOutput(graph, arrays.labels_output, arrays.labels_output);
    }
  }
  return LabelsOf(graph, "labels of " + arrays.name, *arrays.labels, output, sample_count);
}

}  // namespace halftone
