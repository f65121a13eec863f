// Sections of report.html on the operators of the network.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/html_sections.h"
#include "src/report/html_text.h"
#include "src/report/report_tables.h"

namespace halftone {
namespace {

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

TextTable SensitivityTable(const ReportDetails& details) {
  TextTable table{
      {"operator", "type", "choice", "its own SQNR",
       std::string(OutputSqnrHeading(details.by_agreement)), "saves", "gain", "largest value"},
      {}};
  for (const ProbedGroup& group : details.groups) {
    for (std::size_t c = 1; c < group.choices.size(); ++c) {
      const ProbedChoice& choice = group.choices[c];
      const bool can = choice.refusal.empty();
      table.rows.push_back(
          {group.node, group.op, choice.name, can ? FormatSqnr(choice.local_sqnr_db) : "refused",
           can ? FormatSqnr(choice.sqnr_db) : choice.refusal,
           can ? Percent(group.choices[0].time - choice.time) : "-",
           group.gain > 0 ? fmt::format("{:.1f} dB", 10 * std::log10(group.gain)) : "-",
           fmt::format("{:.4g}", group.largest_value)});
    }
  }
  return table;
}

const ChosenDetails* ChosenOf(const TuneSummary& summary) {
  return summary.insight.details && summary.insight.details->chosen
             ? &*summary.insight.details->chosen
             : nullptr;
}

std::string NodesOf(const NodeAtPoint& node) {
  return node.parts.empty() ? node.node
                            : fmt::format("{}, with {}", node.node, Join(node.parts, ", "));
}

std::string FirstBadNode(const ChosenDetails& chosen) {
  const auto bad = std::ranges::find_if(chosen.nodes, [&](const NodeAtPoint& node) {
    return node.broken || (node.sqnr_db && *node.sqnr_db < chosen.bad_below_db);
  });
  if (bad == chosen.nodes.end()) {
    return fmt::format("No node falls below {:g} dB.", chosen.bad_below_db);
  }
  return fmt::format("The first bad node is '{}' ({}, {}): {}.", bad->node, bad->op, bad->dtype,
                     bad->broken ? std::string("infinite or NaN where float32 is finite")
                                 : fmt::format("{}, below {:g} dB", FormatSqnr(*bad->sqnr_db),
                                               chosen.bad_below_db));
}

}  // namespace

std::string SensitivitySection(const TuneSummary& summary) {
  if (!summary.insight.details || summary.insight.details->groups.empty()) {
    return {};
  }
  return HtmlSection(
      "sensitivity", "What operators feel",
      HtmlChart(
          "sensitivity-chart",
          "For each operator in the order of the network, how exact its own result is in "
          "float16 and bfloat16 (higher is better), and the gain by which its error arrives at "
          "the outputs (lower is better). No bar: that dtype is refused there.") +
          HtmlFolded("The same as a table",
                     HtmlTable(SensitivityTable(*summary.insight.details),
                               "Each choice of each operator alone, by the probes; shares of one "
                               "run in float32")));
}

std::string GrowthSection(const TuneSummary& summary) {
  const ChosenDetails* chosen = ChosenOf(summary);
  if (chosen == nullptr || chosen->nodes.empty()) {
    return {};
  }
  TextTable table{{"node", "type", "dtype", "SQNR of its result"}, {}};
  for (const NodeAtPoint& node : chosen->nodes) {
    table.rows.push_back({NodesOf(node), node.op, node.dtype,
                          node.broken    ? "not finite"
                          : node.sqnr_db ? FormatSqnr(*node.sqnr_db)
                                         : "-"});
  }
  return HtmlSection(
      "growth", "How the error grows at " + DescribedPoint(summary),
      fmt::format("<p>{} On {}: {}.</p>\n", HtmlEscaped(FirstBadNode(*chosen)),
                  Counted(std::ssize(chosen->error_samples), "sample"),
                  HtmlEscaped(Join(chosen->error_samples, ", "))) +
          HtmlChart(
              "growth-chart",
              "The error of every result against float32, in the order the nodes run; higher is "
              "better. Circles are float16, diamonds bfloat16, squares other dtypes; the first "
              "bad node is larger.") +
          HtmlFolded("The same as a table",
                     HtmlTable(table, fmt::format("Results of {} against those of float32",
                                                  DescribedPoint(summary)))));
}

std::string TimeSection(const TuneSummary& summary) {
  const ChosenDetails* chosen = ChosenOf(summary);
  if (chosen == nullptr || !chosen->timed) {
    return {};
  }
  TextTable table{
      {"node", "type", "dtype", AnchorInWords(summary.run.anchor), "the point", "saves"}, {}};
  for (const NodeAtPoint& node : chosen->nodes) {
    table.rows.push_back({NodesOf(node), node.op, node.dtype, Percent(node.float32_time),
                          Percent(node.time), Percent(node.float32_time - node.time)});
  }
  table.rows.push_back({Counted(chosen->casts, "cast"), "Cast", "-", "-",
                        Percent(chosen->cast_time), Percent(-chosen->cast_time)});
  return HtmlSection(
      "time", chosen->predicted ? "Where the time would go" : "Where the time goes",
      HtmlChart(
          "time-chart",
          fmt::format("From the time of {} to that of {}{}: what each operator saves or "
                      "costs, and what casts between dtypes cost.",
                      AnchorInWords(summary.run.anchor), DescribedPoint(summary),
                      chosen->predicted ? ", both predicted for " + summary.run.target : "")) +
          HtmlFolded(
              "The same as a table",
              HtmlTable(table, chosen->predicted
                                   ? "Shares of one run in " + AnchorInWords(summary.run.anchor) +
                                         ", predicted"
                                   : "Shares of one run in float32, both timed step by step in "
                                     "turns; a clock between steps costs time of its own")));
}

std::string PredictionSection(const TuneSummary& summary) {
  if (!summary.insight.probes || summary.insight.probes->predictions == 0) {
    return {};
  }
  std::string text = fmt::format(
      "<p>{} predicted before they were measured; in the median off by {:.2f} dB of "
      "loss and {:.2f} % of latency.</p>\n",
      HtmlEscaped(Counted(summary.insight.probes->predictions, "plan")),
      summary.insight.probes->loss_off_db, 100 * summary.insight.probes->latency_off);
  if (summary.insight.details && !summary.insight.details->predictions.empty()) {
    text += "<div class=\"charts\">\n" +
            HtmlChart("prediction-loss-chart",
                      fmt::format("Loss ({}, in dB), predicted against measured; on the line both "
                                  "are the same.",
                                  summary.insight.details->by_agreement
                                      ? "share of the elements that differ from float32's"
                                      : "mean relative L2 error")) +
            HtmlChart("prediction-latency-chart",
                      "Latency ratio to float32, predicted against measured; on the line both are "
                      "the same.") +
            "</div>\n";
  }
  return HtmlSection("prediction", "How good the predictions were", text);
}

}  // namespace halftone
