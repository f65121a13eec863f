// Section of report.html with the network as a graph.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/html_sections.h"
#include "src/report/html_text.h"

namespace halftone {
namespace {

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

TextTable NetworkTable(const ChosenDetails& details, const std::string& anchor) {
  TextTable table{{"node", "type", "format", "SQNR of its result"}, {}};
  if (details.timed) {
    table.header.insert(table.header.end(), {"time", "in " + AnchorInWords(anchor)});
  }
  const bool findings = std::ranges::any_of(
      details.nodes, [](const NodeAtPoint& node) { return !node.finding.empty(); });
  if (findings) {
    table.header.emplace_back("what the search found");
  }
  for (const NodeAtPoint& node : details.nodes) {
    std::vector<std::string> row = {node.node, node.op, node.dtype,
                                    node.broken    ? "not finite"
                                    : node.sqnr_db ? FormatSqnr(*node.sqnr_db)
                                                   : "-"};
    if (details.timed) {
      row.insert(row.end(), {Percent(node.time), Percent(node.float32_time)});
    }
    if (findings) {
      row.push_back(node.finding.empty() ? "-" : node.finding);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string NetworkSection(const TuneSummary& summary) {
  if (!summary.insight.details || !summary.insight.details->chosen ||
      summary.insight.details->chosen->nodes.empty()) {
    return {};
  }
  const ChosenDetails& details = *summary.insight.details->chosen;
  const std::string label = fmt::format(
      "The steps of the network at {}, from its inputs at the top to its outputs: the colour is "
      "the "
      "format, the figures are the SQNR of the result{}. Point at a step for the whole.",
      DescribedPoint(summary),
      details.timed ? fmt::format(" and the share of one run in {}, which the bar shows too",
                                  AnchorInWords(summary.run.anchor))
                    : "");
  return HtmlSection(
      "network", "The network",
      fmt::format("<figure>\n<ul class=\"legend\">"
                  "<li class=\"float32\">float32</li><li class=\"float16\">float16</li>"
                  "<li class=\"bfloat16\">bfloat16</li><li class=\"other\">other formats</li>"
                  "<li class=\"bad\">SQNR below {:g} dB, or not finite</li></ul>\n"
                  "<div class=\"graph\" id=\"network-graph\" role=\"img\" tabindex=\"0\" "
                  "aria-label=\"{}\"></div>\n<figcaption>{}</figcaption>\n</figure>\n",
                  details.bad_below_db, HtmlEscaped(label), HtmlEscaped(label)) +
          HtmlFolded("The same as a table",
                     HtmlTable(NetworkTable(details, summary.run.anchor),
                               fmt::format("Steps at {}{}", DescribedPoint(summary),
                                           details.timed ? "; times are shares of one run in "
                                                           "float32"
                                                         : ""))));
}

}  // namespace halftone
