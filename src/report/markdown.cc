#include <fmt/format.h>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/markdown_text.h"
#include "src/report/quantization_tables.h"
#include "src/report/report_tables.h"

namespace halftone {
namespace {

std::string PointSection(const FrontPoint& point, std::size_t number, const RunFacts& run) {
  const Measurement& measurement = point.measurement();
  const Latency& latency = measurement.latency;
  std::string text = fmt::format("### Point {}: {}\n\n", number,
                                 MarkdownText(Summary(point.trial.candidate, *run.words)));
  text += fmt::format("- Speed-up {}; ", FormatSpeedUp(latency));
  text +=
      latency.is_predicted()
          ? fmt::format("{} a run, {} {}\n", FormatSeconds(latency.median_s), run.anchor,
                        FormatSeconds(latency.anchor_median_s))
          : fmt::format("median {} a run, {} {} in the same {} rounds{}\n",
                        FormatSeconds(latency.median_s), run.anchor,
                        FormatSeconds(latency.anchor_median_s), latency.candidate_samples_s.size(),
                        measurement.confirmed ? ", measured afresh after the search" : "");
  text += fmt::format("- Arena {}; plan `{}`\n",
                      FormatBytes(static_cast<double>(measurement.peak_arena_bytes)),
                      point.trial.plan_digest.ToHex());
  text += fmt::format("- Kept in float32: {}\n",
                      MarkdownText(FormatKept(point.trial, point.trial.kept_nodes.size())));
  if (measurement.accuracy.flips && run.shows_classes) {
    text += fmt::format("- Top-1: {}\n", Describe(*measurement.accuracy.flips));
  }
  if (!point.arguments.empty()) {
    if (!point.folder.empty()) {
      text += fmt::format(
          "- Run it again, in the folder of this report: {}\n",
          MarkdownCode(fmt::format("halftone run --point={} --model=MODEL --inputs=SAMPLES{}",
                                   point.folder, run.run_options)));
    }
    text += fmt::format("- {}, with paths from that folder:",
                        run.words->arguments_are_of_the_tool ? "Options" : "Compile it");
    for (const std::string& argument : OptionTexts(point, *run.words)) {
      text += " " + MarkdownCode(argument);
    }
    text += "\n";
  } else if (!point.not_expressible.empty()) {
    text += fmt::format("- No files stand for it: {}\n", MarkdownText(point.not_expressible));
  }
  return text + "\n" + MarkdownTable(MetricTable(measurement.accuracy, point.heldout)) + "\n";
}

std::string VerdictText(const TuneSummary& summary) {
  const Verdict& verdict = summary.outcome.verdict;
  std::string text =
      fmt::format("**Verdict: {}.** {}\n\n", LabelOf(verdict.kind), MarkdownText(verdict.sentence));
  if (!verdict.bounds.empty()) {
    text += MarkdownTable(BoundTable(verdict)) + "\n";
  }
  if (!verdict.refused.empty()) {
    text += MarkdownTable(RefusedTable(summary)) + "\n";
  }
  return text;
}

// A few lines on 8-bit tensors; "" without any.
std::string QuantizationText(const TuneSummary& summary) {
  constexpr std::size_t kMost = 5;
  const CalibrationRecord* record = summary.insight.calibration.get();
  if (record == nullptr || record->tensors.empty()) {
    return {};
  }
  std::string text = "## Tensors in 8 bits\n\n" + MarkdownText(CalibrationSentence(*record)) +
                     " `halftone explain --tensor` shows one of them.\n\n";
  if (const TextTable clipped = ShortTensorTable(*record, MostClipped(*record, kMost));
      !clipped.rows.empty()) {
    text += "Tensors that lose most by clipping:\n\n" + MarkdownTable(clipped) + "\n";
  }
  if (const TextTable widest = ShortWeightTable(*record, WidestWeights(*record, kMost));
      !widest.rows.empty()) {
    text += "Weights with the widest spread of channel scales:\n\n" + MarkdownTable(widest) + "\n";
  }
  return text;
}

}  // namespace

std::string FormatMarkdown(const TuneSummary& summary) {
  std::string text =
      fmt::format("# Precision front of {}\n\n", MarkdownText(summary.run.model_name));
  text += VerdictText(summary);
  text += MarkdownTable(FrontTable(summary));
  for (const std::string& note : FrontFootnotes(summary)) {
    text += "\n" + MarkdownText(note) + "\n";
  }
  if (const TextTable shapes = ShapeTable(summary); !shapes.rows.empty()) {
    text += "\nBy input shape, at " + MarkdownText(DescribedPoint(summary)) + ":\n\n" +
            MarkdownTable(shapes);
  }
  text +=
      fmt::format("\n`*` marks the chosen point. Speed-up is {} time / time of the point, both ",
                  summary.run.anchor);
  text += summary.run.target == "host"
              ? "measured in the same shuffled rounds; the 95 % interval covers rounds and places "
                "of buffers; \"tie\": it holds 1, or the difference is below 1 %.\n\n"
              : "predicted.\n\n";
  if (const std::string note = LatencyNote(summary.run.target, summary.run.runtime);
      !note.empty()) {
    text += "> **Note:** " + MarkdownText(note) + "\n\n";
  }
  for (const std::string& warning : WarningsOnce(summary)) {
    text += "> **Warning:** " + MarkdownText(warning) + "\n\n";
  }
  if (!summary.outcome.gates.empty()) {
    TextTable gates{{"--fail_if", "expected", "found", "gate"}, {}};
    for (const GateResult& result : summary.outcome.gates) {
      gates.rows.push_back(
          {result.gate.text, result.expected, result.found, result.passed ? "passed" : "failed"});
    }
    text += "## Gates\n\n" + MarkdownTable(gates) + "\n";
  }
  text += "## How it was measured\n\n";
  text += MarkdownTable(FactTable(summary),
                        [](const auto& row, std::size_t column) {
                          return column == 1 && (row[0] == "model hash" || row[0] == "command");
                        }) +
          "\n";
  if (!summary.insight.kept.empty()) {
    text += "## Kept in float32 at " + MarkdownText(DescribedPoint(summary)) + "\n\n" +
            MarkdownText(KeptExplanation(summary)) + "\n\n" +
            MarkdownTable(KeptTable(summary, KeptByCause(summary))) + "\n";
  } else if (const std::string unexplained = KeptUnexplained(summary); !unexplained.empty()) {
    text += "## Kept in float32 at " + MarkdownText(DescribedPoint(summary)) + "\n\n" +
            MarkdownText(unexplained) + "\n\n";
  }
  if (!summary.insight.alternatives.empty()) {
    text += std::string(kAlternativesExplanation) + "\n\n" +
            MarkdownTable(AlternativesTable(summary)) + "\n";
  }
  text += QuantizationText(summary);
  text += "## Points\n\n";
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    text += PointSection(summary.front.points[i], i + 1, summary.run);
  }
  if (!summary.search.rejected.empty()) {
    text += "## Rejected\n\n";
    text += MarkdownTable(RejectedTable(summary));
  }
  return text;
}

}  // namespace halftone
