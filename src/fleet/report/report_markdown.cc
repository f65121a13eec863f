// report.md of a fleet. Names and errors are foreign: besides bars, what begins HTML, code,
// emphasis or a link is escaped.
#include <fmt/format.h>

#include "src/base/printable.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_sections.h"

namespace halftone {
namespace {

struct MarkdownEscape {
  char character;
  std::string_view text;
};

constexpr MarkdownEscape kMarkdownEscapes[] = {{'|', "\\|"}, {'\\', "\\\\"}, {'`', "\\`"},
                                               {'*', "\\*"}, {'<', "&lt;"},  {'&', "&amp;"},
                                               {'~', "\\~"}};

// `[a]` alone is no link, as intervals are not; with a parenthesis behind it is one.
std::string EscapedMarkdown(std::string_view foreign) {
  std::string escaped;
  for (const char c : Printable(foreign)) {
    std::string_view by(&c, 1);
    for (const MarkdownEscape& row : kMarkdownEscapes) {
      by = row.character == c ? row.text : by;
    }
    if (c == '(' && escaped.ends_with(']')) {
      by = "\\(";
    }
    escaped += by;
  }
  return escaped;
}

std::string MarkdownLine(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += fmt::format(" {} |", EscapedMarkdown(cell));
  }
  return line + "\n";
}

// Without links, so that a table can be copied into a document elsewhere.
std::string FleetMarkdownTable(const TextTable& table) {
  std::string text = MarkdownLine(table.header) + "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    text += "---|";
  }
  text += "\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += MarkdownLine(row);
  }
  return text + "\n";
}

}  // namespace

std::string FormatFleetMarkdown(const FleetReport& report) {
  std::string text = fmt::format("# Fleet {}, round {}\n\nMade at {} by halftone {}.\n\n",
                                 EscapedMarkdown(report.facts.name), report.facts.round,
                                 EscapedMarkdown(report.facts.created_at),
                                 EscapedMarkdown(report.facts.tool_version));
  for (const ReportSection& section : SectionsOf(report)) {
    text += fmt::format("## {}\n\n", EscapedMarkdown(section.heading));
    for (const std::string& sentence : section.sentences) {
      text += EscapedMarkdown(sentence) + "\n\n";
    }
    if (!section.table.rows.empty()) {
      text += fmt::format("{}:\n\n", EscapedMarkdown(section.caption)) +
              FleetMarkdownTable(section.table);
    }
  }
  text.pop_back();
  return text;
}

}  // namespace halftone
