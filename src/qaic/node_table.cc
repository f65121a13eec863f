#include "src/qaic/node_table.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/ir/ir_type.h"

namespace halftone {
namespace {

struct FormatName {
  std::string_view format;
  std::string_view shown;
};

constexpr FormatName kFormatNames[] = {{"float32", "FP32"},
                                       {"float16", "FP16"},
                                       {"qint8", "Int8"},
                                       {"qint16", "Int16"},
                                       {"bfloat16", "BF16"}};

std::string ShownFormat(NumericFormat format) {
  for (const FormatName& row : kFormatNames) {
    if (row.format == NameOf(format)) {
      return std::string(row.shown);
    }
  }
  return std::string(NameOf(format));
}

// The first output that precision options may change; else the first one.
NumericFormat ResultFormat(const NodePrecision& precision) {
  for (const NumericFormat format : precision.outputs) {
    if (IsTunable(format.dtype())) {
      return format;
    }
  }
  return precision.compute_format();
}

}  // namespace

std::string PrecisionText(const NodePrecision& precision) {
  const std::string computed = ShownFormat(precision.compute_format());
  const std::string result = ShownFormat(ResultFormat(precision));
  return computed == result ? computed : fmt::format("{} to {}", computed, result);
}

std::string NodeTable(const Graph& graph, const PrecisionPlan& plan, const NodeChoices& choices,
                      std::size_t columns) {
  TextTable table{.header = {"node", "kind", "precision", "reason"}, .rows = {}};
  std::map<std::string, std::int64_t> counts;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const std::string precision = HasChosenType(graph, node)
                                      ? PrecisionText(plan.nodes[n])
                                      : std::string(NameOf(plan.nodes[n].outputs.at(0)));
    ++counts[precision];
    table.rows.push_back({std::string(FirstOutputName(graph, node)), std::string(OnnxKindOf(node)),
                          precision, choices.nodes[n].reason});
  }
  std::vector<std::string> counted;
  counted.reserve(counts.size());
  for (const auto& [precision, count] : counts) {
    counted.push_back(fmt::format("{} in {}", count, precision));
  }
  return AlignedTable(table, columns) +
         fmt::format("{}: {}\n", Counted(static_cast<std::int64_t>(graph.nodes.size()), "node"),
                     Join(counted, ", "));
}

}  // namespace halftone
