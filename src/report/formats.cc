#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr ReportFormat kFormats[] = {
    {"console", "", "the front as a table, for the screen",
     [](const TuneSummary& summary) { return FormatConsole(summary); }},
    {"markdown", "report.md", "the whole report as Markdown", FormatMarkdown},
    {"html", "report.html", "the whole report as a page with charts, one file", FormatHtml},
    {"json", "front.json", "the front for programs, schema-versioned", FormatFrontJson},
    {"csv", "front.csv", "the front, one row a point", FormatFrontCsv},
    {"histograms", "histograms.json",
     "8-bit tensors with their histograms, for programs and explain --tensor", FormatHistograms},
    {"junit", "junit.xml", "the bounds and gates as test cases, for CI servers", FormatJUnit},
};

}  // namespace

std::span<const ReportFormat> AllReportFormats() {
  return kFormats;
}

const ReportFormat* FindReportFormat(std::string_view name) {
  for (const ReportFormat& format : kFormats) {
    if (format.name == name) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace halftone
