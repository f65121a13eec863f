#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr ReportFormat kFormats[] = {
    {"console", "", "the front as a table, for the screen", FormatConsole},
    {"markdown", "report.md", "the whole report as Markdown", FormatMarkdown},
    {"json", "front.json", "the front for programs, schema-versioned", FormatFrontJson},
    {"csv", "front.csv", "the front, one row a point", FormatFrontCsv},
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
