// One line a node after a line of names; cells with a comma, a quote or a line break are quoted as
// RFC 4180 says, after control characters became escapes: a line is a node whatever its name is.
// Remarks and warnings have no place here: the command prints them to standard error.
#include "src/base/text.h"
#include "src/precision/explain.h"

namespace halftone {
namespace {

std::string Cell(std::string_view foreign) {
  const std::string text = Printable(foreign);
  if (text.find_first_of(",\"") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string LineOf(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  for (const std::string& cell : cells) {
    quoted.push_back(Cell(cell));
  }
  return Join(quoted, ",") + "\n";
}

std::vector<std::string> PlanCells(const NodeExplanation& node) {
  return {std::string(NameOf(node.engine)),
          ShortNames(node.inputs),
          ShortNames(node.outputs),
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

std::string ExplainCsv(const Explanation& explanation) {
  std::vector<std::string> names = {"node", "onnx_type", "ir_type"};
  names.insert(names.end(), std::begin(kPlanNames), std::end(kPlanNames));
  std::string text = LineOf(names);
  for (const NodeExplanation& node : explanation.nodes) {
    std::vector<std::string> cells = {node.node, node.onnx_type, node.ir_type};
    Append(cells, PlanCells(node));
    text += LineOf(cells);
  }
  return text;
}

std::string DiffCsv(const Explanation& a, const Explanation& b) {
  std::vector<std::string> names = {"node", "onnx_type", "ir_type"};
  for (const std::string_view side : {"a_", "b_"}) {
    for (const std::string_view name : kPlanNames) {
      names.push_back(std::string(side).append(name));
    }
  }
  std::string text = LineOf(names);
  for (const NodeDifference& difference : Differences(a, b)) {
    std::vector<std::string> cells = {difference.a->node, difference.a->onnx_type,
                                      difference.a->ir_type};
    Append(cells, PlanCells(*difference.a));
    Append(cells, PlanCells(*difference.b));
    text += LineOf(cells);
  }
  return text;
}

}  // namespace halftone
