// One line a node after a line of names (src/base/csv.h): a line is a node whatever its name is.
// Remarks and warnings have no place here: the command prints them to standard error.
#include <limits>

#include "src/base/csv.h"
#include "src/base/text.h"
#include "src/precision/explain/explain.h"

namespace halftone {
namespace {

constexpr std::size_t kAllNames = std::numeric_limits<std::size_t>::max();

std::vector<std::string> PlanCells(const NodeExplanation& node) {
  return {std::string(NameOf(node.engine)),
          ShortNames(node.inputs, kAllNames),
          ShortNames(node.outputs, kAllNames),
          std::string(NameOf(node.compute)),
          std::string(NameOf(node.impl_mode)),
          node.reason,
          RefusedText(node.trace)};
}

constexpr std::string_view kPlanNames[] = {"engine",         "inputs", "outputs", "compute",
                                           "implementation", "reason", "refused"};

void Append(std::vector<std::string>& cells, const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

}  // namespace

std::string ExplainCsv(const Explanation& explanation, const ExplainLayout& /*layout*/) {
  std::vector<std::string> names = {"node", "onnx_type", "ir_type"};
  names.insert(names.end(), std::begin(kPlanNames), std::end(kPlanNames));
  std::string text = CsvLine(names);
  for (const NodeExplanation& node : explanation.nodes) {
    std::vector<std::string> cells = {node.node, node.onnx_type, node.ir_type};
    Append(cells, PlanCells(node));
    text += CsvLine(cells);
  }
  return text;
}

std::string DiffCsv(const Explanation& a, const Explanation& b, const ExplainLayout& /*layout*/) {
  std::vector<std::string> names = {"node", "onnx_type", "ir_type"};
  for (const std::string_view side : {"a_", "b_"}) {
    for (const std::string_view name : kPlanNames) {
      names.push_back(std::string(side).append(name));
    }
  }
  std::string text = CsvLine(names);
  for (const NodeDifference& difference : Differences(a, b)) {
    std::vector<std::string> cells = {difference.a->node, difference.a->onnx_type,
                                      difference.a->ir_type};
    Append(cells, PlanCells(*difference.a));
    Append(cells, PlanCells(*difference.b));
    text += CsvLine(cells);
  }
  return text;
}

}  // namespace halftone
