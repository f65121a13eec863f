#include "src/api/report/data_quality.h"

#include <algorithm>
#include <limits>

namespace halftone {
namespace {

bool IsConstant(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  const std::size_t size = SizeOf(tensor.dtype());
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(size, bytes.size())),
                    bytes.end(), bytes.begin());
}

// A network whose inputs are single numbers has only constant ones.
bool IsConstant(const Sample& sample) {
  return std::ranges::all_of(sample.inputs,
                             [](const Tensor& input) { return IsConstant(input); }) &&
         std::ranges::any_of(sample.inputs,
                             [](const Tensor& input) { return input.ElementCount() > 1; });
}

void Widen(const Tensor& tensor, InputRange& range) {
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const double element = DoubleAt(tensor.dtype(), tensor.data(), i);
    range.least = std::min(range.least, element);
    range.largest = std::max(range.largest, element);
  }
}

// Samples that repeat an earlier one.
std::int64_t DuplicatesIn(const Dataset& data) {
  std::vector<Hash128> hashes;
  hashes.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    hashes.push_back(data.InputsHash(i));
  }
  std::ranges::sort(hashes);
  return std::ssize(std::ranges::unique(hashes));
}

}  // namespace

DataQuality DataQualityOf(const Graph& graph, const Dataset& data) {
  DataQuality quality;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    quality.inputs.push_back({.name = value.name,
                              .type = value.type.ToString(),
                              .least = std::numeric_limits<double>::infinity(),
                              .largest = -std::numeric_limits<double>::infinity()});
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sample sample = data.Read(i);
    for (std::size_t input = 0; input < quality.inputs.size(); ++input) {
      Widen(sample.inputs[input], quality.inputs[input]);
    }
    quality.constant += IsConstant(sample) ? 1 : 0;
  }
  for (InputRange& range : quality.inputs) {
    if (range.least > range.largest) {  // an input without elements
      range.least = range.largest = 0;
    }
  }
  quality.duplicates = DuplicatesIn(data);
  return quality;
}

}  // namespace halftone
