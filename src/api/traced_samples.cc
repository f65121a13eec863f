#include "src/api/traced_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/api/model_source.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostElements = 8;  // that a message quotes
constexpr std::size_t kMostValues = 3;

// "int64 3 [2, 3, 4]"
std::string ShownTensor(const Tensor& tensor) {
  std::vector<std::string> elements;
  const std::vector<double> values = DoublesOf(tensor);
  for (std::size_t i = 0; i < std::min(values.size(), kMostElements); ++i) {
    elements.push_back(fmt::format("{:.9g}", values[i]));
  }
  return fmt::format("{} [{}{}]", tensor.type().ToString(), Join(elements, ", "),
                     values.size() > kMostElements ? ", ..." : "");
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

// What sample `i` has otherwise than the first one; empty: nothing.
std::string Difference(const std::vector<TracedValue>& first,
                       const std::vector<TracedValue>& other) {
  for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
    if (first[i].name != other[i].name) {
      return fmt::format("another branch is taken before '{}'", first[i].name);
    }
    if (!SameBytes(first[i].tensor, other[i].tensor)) {
      return fmt::format("'{}' is {}, it is {}", first[i].name, ShownTensor(other[i].tensor),
                         ShownTensor(first[i].tensor));
    }
  }
  return first.size() != other.size() ? "another number of iterations or branches is taken" : "";
}

}  // namespace

SampleSource FirstSampleOf(const std::string& inputs) {
  if (inputs.empty()) {
    return nullptr;
  }
  return [inputs](const Graph& graph) {
    return LoadDataset(graph, {.inputs = inputs, .labels = {}, .max_samples = 1})
        .samples.at(0)
        .inputs;
  };
}

std::string DescribeTrace(const std::vector<TracedValue>& traced) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < std::min(traced.size(), kMostValues); ++i) {
    values.push_back(
        fmt::format("'{}' is {}", Shown(traced[i].name), ShownTensor(traced[i].tensor)));
  }
  if (values.empty()) {
    return "";
  }
  return fmt::format(
      "shapes and branches are those of the first sample, where {}{}", Join(values, ", "),
      traced.size() > kMostValues ? fmt::format(", and {} more values", traced.size() - kMostValues)
                                  : "");
}

Dataset LoadSamples(const Model& model, const DatasetOptions& options) {
  Dataset dataset = LoadDataset(model.graph, options);
  RefuseOtherTraces(model, dataset);
  return dataset;
}

void RefuseOtherTraces(const Model& model, const Dataset& dataset) {
  if (model.traced.empty()) {
    return;
  }
  const auto source =
      model.source != nullptr ? model.source : std::make_shared<ModelSource>(model.path);
  for (const Sample& sample : dataset.samples) {
    ImportOptions reading = model.import_options;
    reading.sample = [&](const Graph& /*graph*/) { return sample.inputs; };
    const std::string difference = Difference(model.traced, source->file.Import(reading).traced);
    if (!difference.empty()) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("sample '{}': {} in the sample that the model was read for; shapes or "
                      "branches depend on it, so give samples for which it is the same",
                      sample.name, difference));
    }
  }
}

}  // namespace halftone
