#include "src/report/html_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "src/accuracy/discrete_outputs.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/html_text.h"
#include "src/report/point_difference.h"
#include "src/report/report_tables.h"

namespace halftone {
namespace {

std::string Paragraph(std::string_view text) {
  return fmt::format("<p>{}</p>\n", HtmlEscaped(text));
}

std::string Paragraphs(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += Paragraph(sentence);
  }
  return text;
}

// One of the large figures of the verdict.
std::string Figure(std::string_view name, std::string_view value, std::string_view more) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", HtmlEscaped(name),
                     HtmlEscaped(value), HtmlEscaped(more));
}

std::string MetricText(const Accuracy& accuracy, std::string_view name) {
  const MetricValue* value = accuracy.Find(name);
  return value == nullptr ? "-" : fmt::format("{:.2f} %", 100 * value->mean);
}

std::string VerdictFigures(const TuneSummary& summary, const FrontPoint& point) {
  const Measurement& measurement = point.measurement();
  const Latency& latency = measurement.latency;
  const Interval interval = latency.speed_up_interval();
  std::string text = "<dl class=\"figures\">\n";
  text += Figure("speed-up over " + AnchorInWords(summary.run.anchor),
                 fmt::format("{:.3f}x", latency.speed_up()),
                 latency.is_predicted()
                     ? std::string("predicted")
                     : fmt::format("95 %: {:.3f} to {:.3f}{}", interval.low, interval.high,
                                   measurement.confirmed ? ", measured afresh" : ", unconfirmed"));
  const Nearness nearness = NearnessOf(measurement.accuracy);
  text += Figure(IsJudgedByAgreement(measurement.accuracy) ? "agreement with float32 (mean)"
                                                           : "error (SQNR, mean)",
                 nearness.mean, nearness.mean == "-" ? "" : "worst sample " + nearness.worst);
  if (point.heldout) {
    const Nearness heldout = NearnessOf(*point.heldout);
    text += Figure(fmt::format("{} on held-out samples", heldout.what), heldout.mean,
                   Counted(summary.run.heldout_count, "sample") + " the search never saw");
  }
  const bool labels = measurement.accuracy.Find("top1") != nullptr && summary.reference.top1;
  if (summary.run.shows_classes &&
      (labels || measurement.accuracy.Find("top1_agreement") != nullptr)) {
    text += Figure(labels ? "top-1" : "top-1 as float32",
                   MetricText(measurement.accuracy, labels ? "top1" : "top1_agreement"),
                   labels ? fmt::format("float32 {:.2f} %", 100 * *summary.reference.top1) : "");
  }
  text += Figure("one run", FormatSeconds(latency.median_s),
                 fmt::format("{} {}{}", AnchorInWords(summary.run.anchor),
                             FormatSeconds(latency.anchor_median_s),
                             summary.run.cost_model.empty() ? "" : ", both predicted"));
  return text + "</dl>\n";
}

// Gates of --fail_if, judged at the chosen point.
std::string GateTable(const TuneSummary& summary) {
  std::string rows;
  for (const GateResult& result : summary.outcome.gates) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                        HtmlEscaped(result.expected), HtmlEscaped(result.found),
                        result.passed ? "holds" : "fails",
                        result.passed ? "&#10003; passed" : "&#10007; failed");
  }
  return rows.empty() ? std::string()
                      : "<div class=\"table\"><table>\n<caption>Gates</caption>\n<thead><tr><th "
                        "scope=\"col\">expected</th><th scope=\"col\">found</th><th "
                        "scope=\"col\">gate</th></tr></thead>\n<tbody>\n" +
                            rows + "</tbody></table></div>\n";
}

// What limits the figures: that they are predicted, and warnings.
std::string Warnings(const TuneSummary& summary) {
  std::string text;
  if (const std::string note = LatencyNote(summary.run.target, summary.run.runtime);
      !note.empty()) {
    text += fmt::format("<p class=\"warning\">{}</p>\n", HtmlEscaped(note));
  }
  constexpr std::size_t kMostShown = 2;
  std::string folded;
  const std::vector<std::string> warnings = WarningsOnce(summary);
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    (i < kMostShown ? text : folded) +=
        fmt::format("<p class=\"warning\">Warning: {}</p>\n", HtmlEscaped(warnings[i]));
  }
  return folded.empty()
             ? text
             : text + HtmlFolded(
                          Counted(std::ssize(warnings) - static_cast<std::ptrdiff_t>(kMostShown),
                                  "more warning"),
                          folded);
}

// Class of the style sheet for a verdict.
std::string_view ClassOf(const Outcome& outcome) {
  if (outcome.end == RunEnd::kGateFailed) {
    return "verdict none";
  }
  switch (outcome.verdict.kind) {
    case VerdictKind::kPromised:
    case VerdictKind::kNoBound:
      return "verdict";
    case VerdictKind::kMetOnSamples:
      return "verdict unsure";
    case VerdictKind::kNotMet:
    case VerdictKind::kNotSearched:
      return "verdict none";
  }
  return "verdict none";
}

}  // namespace

std::string VerdictSection(const TuneSummary& summary) {
  const Verdict& verdict = summary.outcome.verdict;
  std::string text = fmt::format(
      "<section class=\"{}\" id=\"verdict\" data-verdict=\"{}\" "
      "aria-labelledby=\"verdict-heading\">\n<h2 id=\"verdict-heading\">Verdict: {}</h2>\n",
      ClassOf(summary.outcome), NameOf(verdict.kind), LabelOf(verdict.kind));
  text += Paragraph(verdict.sentence);
  if (summary.front.chosen) {
    text += VerdictFigures(summary, summary.front.chosen_point());
  }
  if (const std::vector<GateResult>& gates = summary.outcome.gates; !gates.empty()) {
    const auto failed = std::ranges::count(gates, false, &GateResult::passed);
    text += fmt::format("<p class=\"{}\">{} of {} failed (<a href=\"#bounds\">bounds</a>)</p>\n",
                        failed > 0 ? "fails" : "holds", failed, Counted(std::ssize(gates), "gate"));
  }
  text += "</section>\n";
  return summary.front.points.empty() ? text + Warnings(summary) : text;
}

std::string BoundsSection(const TuneSummary& summary) {
  const Verdict& verdict = summary.outcome.verdict;
  std::string text;
  if (!verdict.bounds.empty()) {
    text += HtmlTable(BoundTable(verdict), "Bounds, and what is promised of them");
  }
  if (!verdict.refused.empty()) {
    text += HtmlTable(RefusedTable(summary), summary.front.chosen
                                                 ? "Faster points, and why none of them is chosen"
                                                 : "The points, and why none of them is chosen");
  }
  text += GateTable(summary);
  return text.empty() ? text : HtmlSection("bounds", "Bounds", text);
}

std::string FrontSection(const TuneSummary& summary) {
  if (summary.front.points.empty()) {
    return {};
  }
  TextTable table = FrontTable(summary);
  table.header.emplace_back("otherwise than the point before");
  const TextTable shapes = ShapeTable(summary);
  const std::string_view measure = IsJudgedByAgreement(summary) ? "agreement" : "error";
  const std::vector<std::string> differences = DifferencesAlong(summary);
  std::string configuration;
  if (summary.front.chosen) {
    const Trial& trial = summary.front.chosen_point().trial;
    configuration = Paragraph(
        "Configuration of the chosen point: " + Summary(trial.candidate, *summary.run.words) +
        ". Kept in float32: " + FormatKept(trial, 8) + ".");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].push_back(differences[i]);
  }
  return HtmlSection(
      "front", "Front",
      HtmlChart(
          "front-chart",
          fmt::format("Speed-up over {} against the {} of the outputs, one mark a point; bars "
                      "are the 95 % interval of the speed-up, and from the mean {} down to the "
                      "worst sample. Point at a mark to see what it does otherwise than its faster "
                      "neighbour.",
                      AnchorInWords(summary.run.anchor), measure, measure)) +
          Warnings(summary) + configuration +
          HtmlTable(table, "The points, fastest first; * marks the chosen one",
                    summary.front.chosen ? static_cast<int>(*summary.front.chosen) : -1) +
          Paragraphs(FrontFootnotes(summary)) +
          (shapes.rows.empty()
               ? ""
               : HtmlTable(shapes, "By input shape, at " + DescribedPoint(summary) +
                                       "; the latency of a point is the mean with these weights")));
}

std::string KeptSection(const TuneSummary& summary) {
  if (summary.insight.kept.empty()) {
    const std::string unexplained = KeptUnexplained(summary);
    return unexplained.empty()
               ? ""
               : HtmlSection("kept", "Kept in float32 at " + DescribedPoint(summary),
                             Paragraph(unexplained));
  }
  std::string tables = Paragraph(KeptExplanation(summary));
  for (const KeptGroup& group : KeptByCause(summary)) {
    tables += HtmlTable(KeptTable(summary, {&group, 1}), Describe(group, summary));
  }
  return HtmlSection(
      "kept", "Kept in float32 at " + DescribedPoint(summary) + ", and why",
      tables + (summary.insight.alternatives.empty()
                    ? ""
                    : HtmlTable(AlternativesTable(summary), kAlternativesExplanation)));
}

std::string DataSection(const TuneSummary& summary) {
  std::string text = Paragraph(fmt::format(
      "{} of {}{}; {} held out.", Counted(summary.run.sample_count, "sample"),
      summary.run.inputs.empty() ? "a random generator" : summary.run.inputs,
      summary.run.representative ? ""
                                 : ": NOT representative, so accuracy says little about real data",
      summary.run.heldout_count));
  if (!summary.insight.details) {
    return HtmlSection("data", "Data", text);
  }
  const DataQuality& data = summary.insight.details->data;
  TextTable checks{{"check", "samples"},
                   {{"repeat an earlier one", fmt::format("{}", data.duplicates)},
                    {"hold the same number everywhere", fmt::format("{}", data.constant)}}};
  text += HtmlTable(checks, "Oddities of the samples");
  TextTable inputs{{"input", "type", "least", "largest"}, {}};
  for (const InputRange& input : data.inputs) {
    inputs.rows.push_back({input.name, input.type, fmt::format("{:.6g}", input.least),
                           fmt::format("{:.6g}", input.largest)});
  }
  text += HtmlTable(inputs, "Range of the inputs over all samples");
  if (summary.insight.details->chosen && !summary.insight.details->chosen->worst_samples.empty()) {
    TextTable worst{{"sample", "name", summary.insight.details->by_agreement ? "agreement" : "SQNR",
                     "class as float32", "class as labelled"},
                    {}};
    const auto share = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.0f} %", 100 * *value) : std::string("-");
    };
    for (const SampleAtPoint& sample : summary.insight.details->chosen->worst_samples) {
      worst.rows.push_back({fmt::format("{}", sample.index), sample.name,
                            sample.sqnr_db     ? FormatSqnr(*sample.sqnr_db)
                            : sample.agreement ? FormatShare(*sample.agreement)
                                               : "-",
                            share(sample.top1_agreement), share(sample.top1)});
    }
    text += HtmlTable(worst, "The samples with the largest error at " + DescribedPoint(summary));
  }
  return HtmlSection("data", "Data", text);
}

std::string ReproductionSection(const TuneSummary& summary) {
  std::string text;
  if (!summary.run.command.empty()) {
    text += fmt::format("<h3>The search</h3>\n<pre>{}</pre>\n", HtmlEscaped(summary.run.command));
  }
  if (summary.front.chosen) {
    const FrontPoint& point = summary.front.chosen_point();
    std::string arguments = point.not_expressible;
    for (const std::string& argument : OptionTexts(point, *summary.run.words)) {
      arguments +=
          (arguments.empty() ? "" : " ") +
          (summary.run.words->arguments_are_of_the_tool ? ShellArgument(argument) : argument);
    }
    const std::string command =
        point.folder.empty()
            ? ""
            : fmt::format("<pre>halftone run --point={} --model=MODEL --inputs=SAMPLES{}</pre>\n",
                          HtmlEscaped(point.folder), HtmlEscaped(summary.run.run_options));
    text += fmt::format(
        "<h3>The chosen point, in the folder of this file</h3>\n{}<pre>{}</pre>\n<p>Plan "
        "<code>{}</code></p>\n",
        command, HtmlEscaped(arguments), point.trial.plan_digest.ToHex());
  }
  text += HtmlTable(FactTable(summary), "Versions, machine and keys");
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const FrontPoint& point = summary.front.points[i];
    text += HtmlFolded(
        fmt::format("All metrics of point {}: {}", i + 1,
                    Summary(point.trial.candidate, *summary.run.words)),
        HtmlTable(MetricTable(point.measurement().accuracy, point.heldout),
                  fmt::format("Point {}, plan {}", i + 1, point.trial.plan_digest.ToHex())));
  }
  if (!summary.search.rejected.empty()) {
    text += HtmlFolded(
        fmt::format(
            "{} rejected",
            Counted(static_cast<std::int64_t>(summary.search.rejected.size()), "configuration")),
        HtmlTable(RejectedTable(summary), "Configurations that have no place on any front"));
  }
  return HtmlSection("reproduce", "Reproduction", text);
}

}  // namespace halftone
