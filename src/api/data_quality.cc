#include "src/api/data_quality.h"

#include <algorithm>
#include <limits>
#include <set>

namespace halftone {
namespace {

Hash128 HashOf(const Sample& sample) {
  Hasher hasher;
  for (const Tensor& input : sample.inputs) {
    hasher.Add(input.type().ToString());
    hasher.AddBytes(input.bytes());
  }
  return hasher.Finish();
}

bool IsConstant(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  const std::size_t size = SizeOf(tensor.dtype());
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(size, bytes.size())),
                    bytes.end(), bytes.begin());
}

InputRange RangeOf(const Graph& graph, const Dataset& data, std::size_t input) {
  const Value& value = graph.value(graph.inputs[input]);
  InputRange range{.name = value.name,
                   .type = value.type.ToString(),
                   .least = std::numeric_limits<double>::infinity(),
                   .largest = -std::numeric_limits<double>::infinity()};
  for (const Sample& sample : data.samples) {
    const Tensor& tensor = sample.inputs[input];
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      const double element = DoubleAt(tensor.dtype(), tensor.data(), i);
      range.least = std::min(range.least, element);
      range.largest = std::max(range.largest, element);
    }
  }
  if (range.least > range.largest) {  // an input without elements
    range.least = range.largest = 0;
  }
  return range;
}

}  // namespace

DataQuality DataQualityOf(const Graph& graph, const Dataset& data) {
  DataQuality quality;
  for (std::size_t input = 0; input < graph.inputs.size(); ++input) {
    quality.inputs.push_back(RangeOf(graph, data, input));
  }
  std::set<std::string> seen;
  for (const Sample& sample : data.samples) {
    quality.duplicates += seen.insert(HashOf(sample).ToHex()).second ? 0 : 1;
    // A network whose inputs are single numbers has only constant ones.
    quality.constant +=
        std::ranges::all_of(sample.inputs, IsConstant) &&
                std::ranges::any_of(sample.inputs,
                                    [](const Tensor& input) { return input.ElementCount() > 1; })
            ? 1
            : 0;
  }
  return quality;
}

}  // namespace halftone
