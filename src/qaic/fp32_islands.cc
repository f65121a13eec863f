#include "src/qaic/fp32_islands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/qaic/profile_run.h"

namespace halftone {
namespace {

constexpr double kLargestFloat16 = 65504;  // IEEE 754-2019, table 3.5

}  // namespace

std::vector<std::string> IslandsOf(const Graph& graph, const NodeChoices& choices,
                                   const Dataset& samples, int threads) {
  const ObservedRanges tensors = RangesOf(graph, ReferencePlan(graph), samples, threads);
  const auto is_large = [&](ValueId id) {
    const auto found = id == kNoValue ? tensors.end() : tensors.find(id);
    if (found == tensors.end()) {
      return false;
    }
    const ValueRange range = found->second.observed();
    return std::max(std::abs(range.low), std::abs(range.high)) > kLargestFloat16;
  };
  std::vector<std::string> names;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (choices.nodes[n].precision == QaicPrecision::kFloat16 &&
        (std::ranges::any_of(node.inputs, is_large) ||
         std::ranges::any_of(node.outputs, is_large))) {
      names.emplace_back(FirstOutputName(graph, node));
    }
  }
  return names;
}

std::string DescribeIslands(const std::vector<std::string>& names) {
  if (names.empty()) {
    return "";
  }
  return fmt::format(
      "values beyond 65504, the largest of float16: keep what makes and what reads them in FP32, "
      "until they are small again: FP32NodeInstanceNames: [{}]",
      Join(names, ", "));
}

}  // namespace halftone
