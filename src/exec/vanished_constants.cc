#include "src/exec/vanished_constants.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <optional>
#include <set>

#include "src/base/printable.h"

namespace halftone {
namespace {

std::optional<VanishedConstant> VanishedIn(const Tensor& constant, NumericFormat format) {
  const Tensor low = Convert(constant, format);
  VanishedConstant vanished{.node_name = {}, .tensor = {}, .format = format};
  for (std::int64_t i = 0; i < constant.ElementCount(); ++i) {
    const double value = DoubleAt(constant.dtype(), constant.data(), i);
    if (value == 0) {
      continue;
    }
    if (DoubleAt(low.dtype(), low.data(), i) != 0) {
      return std::nullopt;
    }
    ++vanished.count;
    if (std::fabs(value) > std::fabs(vanished.largest)) {
      vanished.largest = value;
    }
  }
  return vanished.count > 0 ? std::optional(vanished) : std::nullopt;
}

}  // namespace

std::vector<VanishedConstant> VanishedConstants(const Graph& graph, NodeId node,
                                                const NodePrecision& precision) {
  std::vector<VanishedConstant> all;
  const Node& reader = graph.node(node);
  for (std::size_t i = 0; i < reader.inputs.size() && i < precision.inputs.size(); ++i) {
    const ValueId id = reader.inputs[i];
    const NumericFormat format = precision.inputs[i];
    const bool is_low = format == DType::kFloat16 || format == DType::kBFloat16;
    if (id == kNoValue || !is_low || !graph.value(id).constant ||
        !IsFloating(graph.value(id).constant->dtype())) {
      continue;
    }
    if (auto vanished = VanishedIn(*graph.value(id).constant, format)) {
      vanished->node = node;
      vanished->node_name = reader.name;
      vanished->tensor = graph.value(id).name;
      all.push_back(*std::move(vanished));
    }
  }
  return all;
}

std::vector<VanishedConstant> VanishedConstants(const Graph& graph, const PrecisionPlan& plan) {
  std::vector<VanishedConstant> all;
  for (NodeId node = 0; node < std::ssize(graph.nodes); ++node) {
    const std::vector<VanishedConstant> own = VanishedConstants(graph, node, plan.node(node));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<VanishedConstant> VanishedBefore(const Graph& graph, const PrecisionPlan& plan,
                                             NodeId node) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  std::set<NodeId> seen = {node};
  std::deque<NodeId> open = {node};
  while (!open.empty()) {
    const NodeId next = open.front();
    open.pop_front();
    if (std::vector<VanishedConstant> own = VanishedConstants(graph, next, plan.node(next));
        !own.empty()) {
      return own;
    }
    for (const ValueId input : graph.node(next).inputs) {
      const NodeId producer =
          input == kNoValue ? kNoNode : producers[static_cast<std::size_t>(input)];
      if (producer != kNoNode && seen.size() < kNodesSearched && seen.insert(producer).second) {
        open.push_back(producer);
      }
    }
  }
  return {};
}

std::string Describe(const VanishedConstant& constant) {
  return constant.count == 1
             ? fmt::format("node '{}' reads constant '{}' ({:.4g}) in {}, where it is 0",
                           Printable(constant.node_name), Printable(constant.tensor),
                           constant.largest, NameOf(constant.format))
             : fmt::format(
                   "node '{}' reads constant '{}' in {}, where its {} elements that are not 0 (up "
                   "to {:.4g}) are 0",
                   Printable(constant.node_name), Printable(constant.tensor),
                   NameOf(constant.format), constant.count, constant.largest);
}

}  // namespace halftone
