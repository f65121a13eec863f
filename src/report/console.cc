#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
namespace {

std::string AlignedTable(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t width = table.header[c].size();
    for (const auto& row : table.rows) {
      width = std::max(width, row[c].size());
    }
    widths.push_back(width);
  }
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      line += fmt::format("{}{:<{}}", c == 0 ? "" : "  ", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_row(table.header);
  for (const auto& row : table.rows) {
    add_row(row);
  }
  return text;
}

}  // namespace

std::string FormatConsole(const TuneSummary& summary) {
  std::string text = fmt::format(
      "Pareto front of {} on {} ({}, {}), fp32 = {}:\n\n", summary.model_name, summary.target,
      Counted(summary.threads, "thread"), Counted(summary.sample_count, "sample"),
      FormatSeconds(summary.reference_latency_s));
  if (const std::string note = LatencyNote(summary.target); !note.empty()) {
    text += note + "\n\n";
  }
  text += AlignedTable(FrontTable(summary));
  text += "\n" + Verdict(summary) + "\n";
  text +=
      fmt::format("{}: {} measured now, {} known from the knowledge base, {} rejected; {}.\n",
                  Counted(static_cast<std::int64_t>(summary.distinct_plans), "distinct plan"),
                  summary.measured, summary.known, summary.rejected.size(), summary.stop_reason);
  if (!summary.rejected.empty()) {
    text += fmt::format("first rejection: {}: {}\n", summary.rejected.front().summary,
                        summary.rejected.front().reason);
  }
  for (const std::string& warning : summary.warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

}  // namespace halftone
