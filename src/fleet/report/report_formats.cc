#include "src/fleet/report/report_formats.h"

#include "src/base/file.h"

namespace halftone {
namespace {

constexpr FleetReportFormat kFleetFormats[] = {
    {"report.html", "the report as a page, one file", FormatFleetHtml},
    {"report.md", "the same as Markdown", FormatFleetMarkdown},
    {"report.csv", "one row an item and bound", FormatFleetCsv},
    {"report.json", "the report for programs", FormatFleetJson},
};

}  // namespace

std::span<const FleetReportFormat> AllFleetReportFormats() {
  return kFleetFormats;
}

void WriteFleetReport(const FleetReport& report, const std::filesystem::path& folder) {
  for (const FleetReportFormat& format : kFleetFormats) {
    WriteFileAtomically(folder / format.file_name, format.format(report));
  }
}

}  // namespace halftone
