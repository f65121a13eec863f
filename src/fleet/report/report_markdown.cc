// report.md of a fleet. Without links, so that a table can be copied into a document elsewhere.
#include <fmt/format.h>

#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_sections.h"
#include "src/report/markdown_text.h"

namespace halftone {
std::string FormatFleetMarkdown(const FleetReport& report) {
  std::string text =
      fmt::format("# Fleet {}, round {}\n\nMade at {} by halftone {}.\n\n",
                  MarkdownText(report.facts.name), report.facts.round,
                  MarkdownText(report.facts.created_at), MarkdownText(report.facts.tool_version));
  for (const ReportSection& section : SectionsOf(report)) {
    text += fmt::format("## {}\n\n", MarkdownText(section.heading));
    for (const std::string& sentence : section.sentences) {
      text += MarkdownText(sentence) + "\n\n";
    }
    if (!section.table.rows.empty()) {
      text += fmt::format("{}:\n\n", MarkdownText(section.caption)) + MarkdownTable(section.table) +
              "\n";
    }
  }
  text.pop_back();
  return text;
}

}  // namespace halftone
