#include "src/aoe/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/aoe/result_keys.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/base/text_table.h"

namespace halftone {
namespace {

struct OperatorRow {
  const AoeOperatorResult* op = nullptr;
  const AoeTunePerformance* performance = nullptr;
};

std::string Operators(const AoeModelResult& result, std::size_t columns) {
  std::vector<OperatorRow> rows;
  for (const AoeOperatorResult& op : result.modified_operators) {
    for (const AoeTunePerformance& performance : op.performance) {
      rows.push_back({&op, &performance});
    }
  }
  if (rows.empty()) {
    return "";
  }
  std::ranges::stable_sort(rows, [](const OperatorRow& a, const OperatorRow& b) {
    return a.performance->before_us > b.performance->before_us;
  });
  TextTable table{{"operator", "type", "kind", "before us", "after us", "improvement", "bank"}, {}};
  for (const auto& [op, performance] : rows) {
    const std::string& improvement = performance->improvement;
    table.rows.push_back(
        {op->name, op->type, performance->kind, fmt::format("{:g}", performance->before_us),
         fmt::format("{:g}", performance->after_us),
         improvement.empty() ? AoeImprovement(performance->before_us, performance->after_us)
                             : improvement,
         performance->update_mode});
  }
  return AlignedTable(table, columns);
}

std::string Counts(const AoeRepoSummary& summary) {
  std::vector<std::string> counts;
  for (const AoeCountRow& row : kAoeCounts) {
    counts.push_back(fmt::format("{} {}", row.key, summary.*row.count));
  }
  return fmt::format("operators: {}{}\n", Join(counts, ", "),
                     IsConsistent(summary) ? "" : " (which do not add up)");
}

std::string ModelText(const AoeTask& task, std::size_t columns) {
  const AoeModelResult& result = task.result;
  std::string text = fmt::format(
      "{}{} ({}): {}\n", task.name.empty() ? "" : Printable(task.name) + ": ",
      Printable(result.tuning_name), result.job == kSgat ? "subgraph tuning" : "operator tuning",
      result.tuning_result.empty() ? "no result" : Printable(result.tuning_result));
  if (result.baseline_ms && result.result_ms) {
    text += fmt::format(
        "{:g} ms before, {:g} ms after, improved by {}\n", *result.baseline_ms, *result.result_ms,
        result.improvement.empty() ? AoeImprovement(*result.baseline_ms, *result.result_ms)
                                   : Printable(result.improvement));
  } else if (result.baseline_ms) {
    text += fmt::format("{:g} ms before\n", *result.baseline_ms);
  }
  text += Operators(result, columns);
  if (!result.failed_operators.empty()) {
    text += fmt::format("failed: {}\n", Printable(Join(result.failed_operators, ", ")));
  }
  return text + (result.summary ? Counts(*result.summary) : "");
}

}  // namespace

std::string AoeResultText(const AoeResultFile& file, std::size_t columns) {
  std::vector<std::string> texts;
  for (const AoeTask& task : file.tasks) {
    texts.push_back(ModelText(task, columns));
  }
  return Join(texts, "\n");
}

}  // namespace halftone
