#include <fmt/format.h>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
namespace {

// Select Graphic Rendition (ECMA-48, 8.3.117), of the sixteen colours that every theme has.
constexpr std::string_view kBold = "1";
constexpr std::string_view kBoldGreen = "1;32";
constexpr std::string_view kBoldRed = "1;31";
constexpr std::string_view kYellow = "33";

class Painter {
 public:
  explicit Painter(bool colored) : colored_(colored) {}

  // A line break at the end stays outside, so that no terminal fills the next line.
  [[nodiscard]] std::string Paint(std::string_view text, std::string_view rendition) const {
    if (!colored_ || text.empty()) {
      return std::string(text);
    }
    const bool line = text.back() == '\n';
    text.remove_suffix(line ? 1 : 0);
    return fmt::format("\x1b[{}m{}\x1b[0m{}", rendition, text, line ? "\n" : "");
  }

 private:
  bool colored_;
};

// Whole lines are painted, so columns stay where they are.
std::string PaintedTable(const TuneSummary& summary, const Painter& painter) {
  std::string text;
  std::size_t line = 0;
  const std::string table = AlignedTable(FrontTable(summary));
  for (const std::string_view row : Split(Trim(table), '\n')) {
    const std::string_view rendition = line == 0                                       ? kBold
                                       : summary.chosen && line == *summary.chosen + 1 ? kBoldGreen
                                                                                       : "";
    text += rendition.empty() ? std::string(row) : painter.Paint(row, rendition);
    text += "\n";
    ++line;
  }
  return text;
}

std::string GateLines(const TuneSummary& summary, const Painter& painter) {
  std::string text;
  for (const GateResult& result : summary.outcome.gates) {
    text += fmt::format(
        "gate {}: {}; expected {}, found {}\n", result.gate.text,
        result.passed ? painter.Paint("passed", kBoldGreen) : painter.Paint("failed", kBoldRed),
        result.expected, result.found);
  }
  return text;
}

}  // namespace

std::string FormatConsole(const TuneSummary& summary, bool colored) {
  const Painter painter(colored);
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
  text += PaintedTable(summary, painter);
  text += "\n" + painter.Paint(summary.outcome.verdict + "\n", summary.chosen ? kBold : kBoldRed);
  text += GateLines(summary, painter);
  text +=
      fmt::format("{}: {} measured now, {} known from the knowledge base, {} rejected; {}.\n",
                  Counted(static_cast<std::int64_t>(summary.distinct_plans), "distinct plan"),
                  summary.measured, summary.known, summary.rejected.size(), summary.stop_reason);
  if (!summary.rejected.empty()) {
    text += fmt::format("first rejection: {}: {}\n", summary.rejected.front().summary,
                        summary.rejected.front().reason);
  }
  for (const std::string& warning : summary.warnings) {
    text += painter.Paint("warning: " + warning + "\n", kYellow);
  }
  return text;
}

}  // namespace halftone
