#include "search/calibrate/calibrated_values.h"

#include <fmt/format.h>

#include "search/calibrate/range_classes.h"
#include "src/base/printable.h"
#include "src/exec/integer_steps.h"

namespace halftone {

std::vector<ValueId> CalibratedValues(const Graph& graph, const std::vector<ValueId>& sources) {
  std::vector<bool> is_wanted(graph.values.size());
  const auto want = [&](const std::vector<ValueId>& values) {
    for (const ValueId id : values) {
      if (id != kNoValue && !graph.value(id).constant &&
          graph.value(id).type.dtype == DType::kFloat32) {
        is_wanted[static_cast<std::size_t>(sources[static_cast<std::size_t>(id)])] = true;
      }
    }
  };
  for (const Node& node : graph.nodes) {
    if (HasIntegerForm(node.op)) {
      want(node.inputs);
      want(node.outputs);
    }
  }
  std::vector<ValueId> wanted;
  for (std::size_t i = 0; i < is_wanted.size(); ++i) {
    if (is_wanted[i]) {
      wanted.push_back(static_cast<ValueId>(i));
    }
  }
  return wanted;
}

std::vector<NonFiniteTensor> NonFiniteTensors(const Graph& graph, const Quantization& calibrated) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::vector<NonFiniteTensor> found;
  for (const ValueId value : CalibratedValues(graph, RangeSources(graph))) {
    if (!graph.value(value).constant && !calibrated.activations.contains(graph.value(value).name)) {
      const NodeId producer = producers[static_cast<std::size_t>(value)];
      found.push_back({.node = producer == kNoNode ? "" : graph.node(producer).name,
                       .tensor = graph.value(value).name});
    }
  }
  return found;
}

std::string Describe(const NonFiniteTensor& tensor) {
  return tensor.node.empty()
             ? fmt::format(
                   "what reads input '{}' stays out of 8 bits: it is infinite or NaN on "
                   "samples of the calibration",
                   Printable(tensor.tensor))
             : fmt::format(
                   "node '{}' stays out of 8 bits: its result '{}' is infinite or NaN on "
                   "samples of the calibration",
                   Printable(tensor.node), Printable(tensor.tensor));
}

}  // namespace halftone
