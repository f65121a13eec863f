// report.html of a fleet: one self-contained file. Words and tables are HTML and need no script;
// the one script sorts and filters tables. The security policy allows exactly this script and the
// style sheets, and no fetches, whatever names networks have.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/fleet/report/fleet_page_files.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_sections.h"
#include "src/report/html_text.h"
#include "src/report/page_files.h"

namespace halftone {
namespace {

// Rows of a table above which its cells do not know their headings: it stays a table on a phone.
constexpr std::size_t kLabelledRows = 500;
// Cells up to this length stay on one line.
constexpr std::size_t kUnbrokenCell = 20;

const EmbeddedText& PageFile(std::string_view name) {
  const auto files = PageFiles();
  const auto found = std::ranges::find(files, name, &EmbeddedText::name);
  Check(found != files.end(), "the page of a report has the file");
  return *found;
}

// Attributes without quotes and no closing tags, which HTML allows: the page of 10,000 networks is
// made of these, and leaves out the scope that a heading in a column of headings has by itself.
// `url` has neither blanks nor quotes.
void AddRow(const std::vector<std::string>& header, const std::vector<std::string>& cells,
            std::string_view url, bool labelled, std::string& text) {
  text += labelled ? "<tr><th scope=row>" : "<tr><th>";
  text += url.empty() ? HtmlEscaped(cells.front())
                      : fmt::format("<a href={}>{}</a>", url, HtmlEscaped(cells.front()));
  for (std::size_t i = 1; i < cells.size(); ++i) {
    text += labelled ? fmt::format("<td{} data-label=\"{}\">",
                                   cells[i].size() <= kUnbrokenCell ? " class=short" : "",
                                   HtmlEscaped(header[i]))
                     : "<td>";
    text += HtmlEscaped(cells[i]);
  }
  text += "\n";
}

std::string FleetHtmlTable(const ReportSection& section) {
  const TextTable& table = section.table;
  const bool labelled = table.rows.size() <= kLabelledRows;
  std::string text = fmt::format(
      "<div class=\"table{}\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n"
      "<caption>{}</caption>\n<thead><tr>",
      labelled ? "" : " wide", HtmlEscaped(section.heading), HtmlEscaped(section.caption));
  for (const std::string& cell : table.header) {
    text += fmt::format("<th scope=\"col\">{}</th>", HtmlEscaped(cell));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    AddRow(table.header, table.rows[row],
           section.links.empty() ? std::string_view() : section.links[row], labelled, text);
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string FleetHtmlSection(const ReportSection& section) {
  std::string body;
  for (const std::string& sentence : section.sentences) {
    body += fmt::format("<p>{}</p>\n", HtmlEscaped(sentence));
  }
  if (!section.table.rows.empty()) {
    body += FleetHtmlTable(section);
  }
  return HtmlSection(section.id, section.heading, body);
}

std::string FleetPageHead(const FleetReport& report, const std::string& title) {
  const EmbeddedText& style = PageFile("report");
  const EmbeddedText& own_style = FleetPageFiles().front();
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src {} {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"halftone {}\">\n<title>{}</title>\n"
      "<style>{}</style>\n<style>{}</style>\n</head>\n",
      PolicyHash(PageFile("tables").sha256), PolicyHash(style.sha256), PolicyHash(own_style.sha256),
      HtmlEscaped(report.facts.tool_version), title, style.text, own_style.text);
}

}  // namespace

std::string FormatFleetHtml(const FleetReport& report) {
  const std::string title =
      HtmlEscaped(fmt::format("Fleet {}, round {}", report.facts.name, report.facts.round));
  std::string text = FleetPageHead(report, title);
  text += fmt::format(
      "<body>\n<header>\n<h1>{}</h1>\n<p class=\"soft\">Made at {} by halftone {}.</p>\n"
      "</header>\n<main>\n",
      title, HtmlEscaped(report.facts.created_at), HtmlEscaped(report.facts.tool_version));
  std::string links;
  std::string body;
  for (const ReportSection& section : SectionsOf(report)) {
    links +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, HtmlEscaped(section.heading));
    body += FleetHtmlSection(section);
  }
  text += "<nav aria-label=\"Sections\"><ul>\n" + links + "</ul></nav>\n" + body + "</main>\n";
  text += fmt::format("<script>{}</script>\n", PageFile("tables").text);
  return text + "</body>\n</html>\n";
}

}  // namespace halftone
