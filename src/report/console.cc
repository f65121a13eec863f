#include <fmt/format.h>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
std::string FormatConsole(const TuneSummary& summary) {
  std::string text = fmt::format(
      "Pareto front of {} on {} ({}, {}), fp32 = {}:\n\n", summary.model_name, summary.target,
      Counted(summary.threads, "thread"), Counted(summary.sample_count, "sample"),
      FormatSeconds(summary.reference_latency_s));
  if (const std::string note = LatencyNote(summary.target); !note.empty()) {
    text += note + "\n\n";
  }
  if (summary.kernel_choices > 0) {
    text += fmt::format("kernels: operator tuning chose those of {}\n\n",
                        Counted(static_cast<std::int64_t>(summary.kernel_choices), "operator"));
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
