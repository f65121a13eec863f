#include "src/accuracy/discrete_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kNamesShown = 3;

// Operators whose results are their operands in another form.
constexpr OpKind kSameElements[] = {OpKind::kIdentity,  OpKind::kReshape, OpKind::kSqueeze,
                                    OpKind::kUnsqueeze, OpKind::kFlatten, OpKind::kTranspose,
                                    OpKind::kCast};

bool ReordersOnly(OpKind op) {
  return std::ranges::find(kSameElements, op) != std::end(kSameElements);
}

// Elements that a Softmax compares.
std::int64_t ClassesOf(const Graph& graph, const Node& softmax) {
  const Shape& shape = graph.value(softmax.inputs[0]).type.shape;
  const std::int64_t axis = softmax.attributes.Int("axis", -1);
  const std::int64_t from_front = axis < 0 ? axis + shape.rank() : axis;
  return shape.rank() == 0 ? 1 : shape[static_cast<int>(from_front)];
}

// Elements that top-1 compares in an output.
std::int64_t ClassesAlongAxis(const TensorType& output) {
  const auto axis = ClassAxis(output.shape);
  return axis ? output.shape[*axis] : 0;
}

std::string NamesOfOutputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId id : graph.outputs) {
    if (names.size() == kNamesShown) {
      names.emplace_back("...");
      break;
    }
    const Value& value = graph.value(id);
    names.push_back(fmt::format("'{}' ({})", Printable(value.name), NameOf(value.type.dtype)));
  }
  return Join(names, ", ");
}

}  // namespace

bool AllOutputsDiscrete(const Graph& graph) {
  return !graph.outputs.empty() && std::ranges::none_of(graph.outputs, [&](ValueId id) {
    return IsFloating(graph.value(id).type.dtype);
  });
}

bool MakesClasses(const Graph& graph) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  return std::ranges::any_of(graph.outputs, [&](ValueId output) {
    NodeId producer = producers[static_cast<std::size_t>(output)];
    while (producer != kNoNode && ReordersOnly(graph.node(producer).op)) {
      producer = producers[static_cast<std::size_t>(graph.node(producer).inputs[0])];
    }
    return producer != kNoNode &&
           (graph.node(producer).op == OpKind::kSoftmax ||
            graph.node(producer).op == OpKind::kLogSoftmax) &&
           ClassesOf(graph, graph.node(producer)) == ClassesAlongAxis(graph.value(output).type);
  });
}

double ShareOfEqual(const Tensor& reference, const Tensor& actual) {
  Check(reference.type() == actual.type(), "reference and actual outputs have the same type");
  const std::int64_t count = reference.ElementCount();
  if (count == 0) {
    return 1;
  }
  const std::size_t width = SizeOf(reference.dtype());
  const auto* const want = static_cast<const std::byte*>(reference.data());
  const auto* const got = static_cast<const std::byte*>(actual.data());
  std::int64_t equal = 0;
  if (reference.dtype() == DType::kBool) {
    for (std::int64_t i = 0; i < count; ++i) {
      equal += (want[i] != std::byte{0}) == (got[i] != std::byte{0}) ? 1 : 0;
    }
  } else {
    // Compares bytes: doubles do not hold every 64-bit integer.
    for (std::size_t at = 0; at < static_cast<std::size_t>(count) * width; at += width) {
      equal += std::memcmp(want + at, got + at, width) == 0 ? 1 : 0;
    }
  }
  return static_cast<double>(equal) / static_cast<double>(count);
}

std::string FormatShare(double share) {
  constexpr int kMostDigits = 12;
  if (share == 0 || share == 1) {
    return share == 1 ? "100 %" : "0 %";
  }
  std::string text;
  for (int digits = 2; digits <= kMostDigits; ++digits) {
    text = fmt::format("{:.{}f}", 100 * share, digits);
    if (text != fmt::format("{:.{}f}", 100.0, digits) &&
        text != fmt::format("{:.{}f}", 0.0, digits)) {
      break;
    }
  }
  return text + " %";
}

std::optional<std::string> WhyNotOfOutputs(const MetricRow& metric, const Graph& graph) {
  const bool there = std::ranges::any_of(graph.outputs, [&](ValueId id) {
    return IsFloating(graph.value(id).type.dtype) != metric.of_discrete;
  });
  if (there) {
    return std::nullopt;
  }
  return fmt::format("{} compares {} outputs, and this network has none: its outputs are {}",
                     metric.name, metric.of_discrete ? "integer and boolean" : "floating",
                     NamesOfOutputs(graph));
}

const MetricValue* OutputErrorMetric(const Accuracy& accuracy) {
  const MetricValue* rel_l2 = accuracy.Find("rel_l2");
  return rel_l2 != nullptr ? rel_l2 : accuracy.Find("agreement");
}

double OutputErrorOf(const Accuracy& accuracy) {
  const MetricValue* metric = OutputErrorMetric(accuracy);
  return metric == nullptr ? 1 : metric->name == "agreement" ? 1 - metric->mean : metric->mean;
}

}  // namespace halftone
