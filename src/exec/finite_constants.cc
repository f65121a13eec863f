#include "src/exec/finite_constants.h"

#include <fmt/format.h>

#include <optional>

#include "kernels/nonfinite.h"
#include "src/base/printable.h"
#include "src/exec/integer_steps.h"

namespace halftone {
namespace {

std::optional<NonFiniteConstant> FirstOf(const Graph& graph, const Node& node) {
  if (IsByteFunction(node.op)) {
    return std::nullopt;
  }
  for (const ValueId id : node.inputs) {
    if (id == kNoValue || !graph.value(id).constant) {
      continue;
    }
    const Tensor& constant = *graph.value(id).constant;
    if (!IsFloating(constant.dtype())) {
      continue;
    }
    if (const auto first =
            FirstNonFinite(constant.dtype(), constant.data(), constant.ElementCount())) {
      return NonFiniteConstant{.node = node.name,
                               .tensor = graph.value(id).name,
                               .element = *first,
                               .value = DoubleAt(constant.dtype(), constant.data(), *first)};
    }
  }
  return std::nullopt;
}

}  // namespace

bool HasFiniteConstants(const Graph& graph, const Node& node) {
  return !FirstOf(graph, node);
}

std::vector<NonFiniteConstant> NonFiniteConstants(const Graph& graph) {
  std::vector<NonFiniteConstant> found;
  for (const Node& node : graph.nodes) {
    if (auto first = HasIntegerForm(node.op) ? FirstOf(graph, node) : std::nullopt) {
      found.push_back(*std::move(first));
    }
  }
  return found;
}

std::string Describe(const NonFiniteConstant& constant) {
  return fmt::format("node '{}' stays out of 8 bits: its constant '{}' holds {} at element {}",
                     Printable(constant.node), Printable(constant.tensor), constant.value,
                     constant.element);
}

}  // namespace halftone
