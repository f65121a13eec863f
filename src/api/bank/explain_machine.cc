#include "src/api/explain_machine.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "kernels/cpu_isa.h"
#include "knowledge_base/sqlite_store.h"
#include "search/operators/format_times.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/base/text.h"
#include "src/base/text_table.h"

namespace halftone {

std::string MachineText(std::span<const FormatTime> times, int threads, const std::string& origin,
                        std::size_t columns) {
  TextTable table{{"format", "time / float32", "pays"}, {}};
  for (const FormatTime& time : times) {
    table.rows.push_back(
        {time.format, fmt::format("{:.2f}", time.ratio), time.pays() ? "yes" : "no"});
  }
  std::string text;
  AddLine(text, fmt::format("Products in each number format on {} ({}, {}), {}:", CpuName(),
                            IsaName(UsedIsa()), Counted(threads, "thread"), origin));
  AddLine(text, "");
  text += AlignedTable(table, columns);
  AddLine(text, "");
  const std::string sentence = WhatPays(times);
  AddLine(text, sentence.empty() ? "No format but float32 was timed."
                                 : fmt::format("By the machine profile {}.", sentence));
  return text;
}

std::string ExplainMachine(const MachineQuestion& question) {
  const ThreadPool pool(question.threads);
  const TargetSpec host = LoadTarget(TargetOptions());
  const std::filesystem::path database =
      question.bank.empty() ? std::filesystem::path() : DatabasePath(question.bank, host.name);
  if (!database.empty() && std::filesystem::exists(database)) {
    const auto store = OpenSqliteStore(database, OpenMode::kReadOnly);
    const std::vector<FormatTime> times = StoredFormatTimes(pool.threads(), *store);
    if (!times.empty()) {
      return MachineText(times, pool.threads(), "from " + database.string(), question.columns);
    }
  }
  const std::vector<FormatTime> times =
      FormatTimesIn(MeasureFormatTimes(host, pool, question.seed));
  return MachineText(times, pool.threads(), "measured now", question.columns);
}

}  // namespace halftone
