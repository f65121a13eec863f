#include <fmt/format.h>

#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/quantization_tables.h"
#include "src/report/rejected_groups.h"
#include "src/report/report_tables.h"

namespace halftone {
namespace {

// Select Graphic Rendition (ECMA-48, 8.3.117), of the sixteen colours that every theme has.
constexpr std::string_view kBold = "1";
constexpr std::string_view kBoldGreen = "1;32";
constexpr std::string_view kBoldRed = "1;31";
constexpr std::string_view kBoldYellow = "1;33";
constexpr std::string_view kYellow = "33";

constexpr std::string_view kIndent = "     ";

// Of the time of a run: phases that took less are left out of the line of times.
constexpr double kShownShare = 0.01;

class Painter {
 public:
  explicit Painter(bool colored) : colored_(colored) {}

  [[nodiscard]] std::string Paint(std::string_view text, std::string_view rendition) const {
    return colored_ && !text.empty() && !rendition.empty()
               ? fmt::format("\x1b[{}m{}\x1b[0m", rendition, Printable(text))
               : Printable(text);
  }

  // The line break stays outside, so that no terminal fills the next line.
  [[nodiscard]] std::string PaintLine(std::string_view line, std::string_view rendition) const {
    return Paint(line, rendition) + "\n";
  }

 private:
  bool colored_;
};

// The rows of the front, the header first. Where a row is too long for a line, the configuration
// and what is kept follow in lines of their own.
std::vector<std::string> FrontRows(TextTable table, std::size_t columns) {
  constexpr std::size_t kTexts = 2;  // the last columns: configuration, kept in float32
  if (NaturalWidth(table) <= columns) {
    return AlignedRows(table, columns);
  }
  std::vector<std::string> texts = {""};
  table.header.resize(table.header.size() - kTexts);
  for (std::vector<std::string>& row : table.rows) {
    const std::string text =
        Printable(fmt::format("{}; in float32: {}", row[row.size() - kTexts], row.back()));
    row.resize(row.size() - kTexts);
    std::string& lines = texts.emplace_back();
    for (const std::string& line : BrokenLines(text, columns - kIndent.size())) {
      lines += fmt::format("{}{}\n", kIndent, line);
    }
  }
  std::vector<std::string> rows = AlignedRows(table, columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] += texts[i];
  }
  return rows;
}

// Whole lines are painted, so columns stay where they are.
std::string PaintedTable(const TuneSummary& summary, const Painter& painter, std::size_t columns) {
  std::string text;
  std::size_t number = 0;  // of the row; the header is 0
  for (const std::string& row : FrontRows(FrontTable(summary), columns)) {
    const bool chosen = summary.front.chosen && number == *summary.front.chosen + 1;
    for (const std::string_view line :
         Split(std::string_view(row).substr(0, row.size() - 1), '\n')) {
      text += painter.PaintLine(line, number == 0 ? kBold : chosen ? kBoldGreen : "");
    }
    ++number;
  }
  return text;
}

// Rendition of a verdict, by kind.
std::string_view RenditionOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kPromised:
      return kBoldGreen;
    case VerdictKind::kMetOnSamples:
      return kBoldYellow;
    case VerdictKind::kNotMet:
    case VerdictKind::kNotSearched:
      return kBoldRed;
    case VerdictKind::kNoBound:
      return kBold;
  }
  return kBold;
}

std::string VerdictLines(const Verdict& verdict, const Painter& painter) {
  std::string text = painter.PaintLine(fmt::format("verdict: {}", LabelOf(verdict.kind)),
                                       RenditionOf(verdict.kind));
  text +=
      painter.PaintLine(verdict.sentence, verdict.kind == VerdictKind::kNotMet ? kBoldRed : kBold);
  for (const RefusedPoint& refused : verdict.refused) {
    AddLine(text, fmt::format("not point {}: {}", refused.point + 1, refused.reason));
  }
  return text;
}

std::string GateLines(const TuneSummary& summary, const Painter& painter) {
  std::string text;
  for (const GateResult& result : summary.outcome.gates) {
    text += GateLine(result, result.passed ? painter.Paint("passed", kBoldGreen)
                                           : painter.Paint("failed", kBoldRed)) +
            "\n";
  }
  return text;
}

// ", fp32 = 4.35 ms", of the anchor; what a run of float32 took where it was not timed beside a
// plan; empty: unknown.
std::string ReferenceText(const TuneSummary& summary) {
  if (summary.reference.latency_s > 0) {
    return fmt::format(", {} = {}{}", summary.run.anchor,
                       FormatSeconds(summary.reference.latency_s),
                       summary.run.cost_model.empty() ? "" : " predicted");
  }
  const double run_s = summary.search.plan.run_s;
  return run_s > 0 ? ", fp32 about " + FormatSeconds(run_s) : "";
}

// "time: 88 s of 90 s: loading 2 s, calibration 17 s, ..."; empty where it is not known.
std::string TimesLine(const TuneSummary& summary) {
  if (summary.phases.empty()) {
    return "";
  }
  std::vector<std::string> parts;
  for (const PhaseTime& time : summary.phases) {
    if (time.seconds >= kShownShare * summary.elapsed_s) {
      parts.push_back(fmt::format("{} {}", NameOf(time.phase), FormatSeconds(time.seconds)));
    }
  }
  return fmt::format("time: {}{}: {}", FormatSeconds(summary.elapsed_s),
                     summary.budget_s ? fmt::format(" of {:g} s", *summary.budget_s) : "",
                     Join(parts, ", "));
}

}  // namespace

std::string FormatConsole(const TuneSummary& summary, const ScreenFacts& screen) {
  const Painter painter(screen.colored);
  std::string text;
  AddLine(text, fmt::format("Pareto front of {} on {} ({}, {}){}:", summary.run.model_name,
                            summary.run.target, Counted(summary.run.threads, "thread"),
                            Counted(summary.run.sample_count, "sample"), ReferenceText(summary)));
  AddLine(text, "");
  if (const std::string note = LatencyNote(summary.run.target, summary.run.runtime);
      !note.empty()) {
    AddLine(text, note);
    AddLine(text, "");
  }
  if (summary.run.kernel_choices > 0) {
    AddLine(text, fmt::format(
                      "kernels: operator tuning chose those of {}",
                      Counted(static_cast<std::int64_t>(summary.run.kernel_choices), "operator")));
    AddLine(text, "");
  }
  if (!summary.front.points.empty()) {
    text += PaintedTable(summary, painter, screen.columns);
    for (const std::string& note : FrontFootnotes(summary)) {
      AddLine(text, note);
    }
  }
  if (const TextTable shapes = ShapeTable(summary); !shapes.rows.empty()) {
    text += fmt::format("\nBy input shape, at {}:\n", DescribedPoint(summary)) +
            AlignedTable(shapes, screen.columns);
  }
  if (summary.insight.calibration && DescribedPointIsQuantized(summary)) {
    const std::vector<std::string> lines = QuantizationLines(*summary.insight.calibration);
    text += lines.empty() ? "" : "\n";
    for (const std::string& line : lines) {
      AddLine(text, line);
    }
  }
  text += "\n" + VerdictLines(summary.outcome.verdict, painter);
  text += GateLines(summary, painter);
  AddLine(text,
          fmt::format(
              "{}: {} measured now, {} known from the knowledge base, {} rejected; {}.",
              Counted(static_cast<std::int64_t>(summary.search.distinct_plans), "distinct plan"),
              summary.search.measured, summary.search.known, summary.search.rejected.size(),
              summary.search.stop_reason));
  if (const std::string times = TimesLine(summary); !times.empty()) {
    AddLine(text, times);
  }
  if (!summary.search.rejected.empty()) {
    const std::vector<RejectedGroup> groups = RejectedGroups(summary.search.rejected);
    AddLine(text, fmt::format("rejected, {} of {} alike: {}: {}", groups.front().configurations,
                              summary.search.rejected.size(), groups.front().summary,
                              groups.front().reason));
  }
  for (const std::string& warning : WarningsOnce(summary)) {
    text += painter.PaintLine("warning: " + warning, kYellow);
  }
  return text;
}

}  // namespace halftone
