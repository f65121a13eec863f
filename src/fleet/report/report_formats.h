// Formats of a fleet's report, each with a function, in one table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/fleet/report/fleet_report.h"

namespace halftone {

struct FleetReportFormat {
  std::string_view file_name;
  std::string_view meaning;
  std::string (*format)(const FleetReport& report);
};

std::span<const FleetReportFormat> AllFleetReportFormats();

// Writes the report in each format into `folder`, the folder of the round; links of the page refer
// to its results/. Error kIo.
void WriteFleetReport(const FleetReport& report, const std::filesystem::path& folder);

std::string FormatFleetHtml(const FleetReport& report);
std::string FormatFleetMarkdown(const FleetReport& report);
std::string FormatFleetCsv(const FleetReport& report);
std::string FormatFleetJson(const FleetReport& report);

// Largest number of items in the table for the screen.
inline constexpr std::size_t kScreenRows = 20;

// Text for the screen, of at most 80 columns: totals, means, and at most kScreenRows items, the
// worst first.
std::string FormatFleetTable(const FleetReport& report);

// Version of the layout of report.json (docs/reference/fleet_report.schema.json), raised when a
// member changes its meaning or is removed.
inline constexpr int kFleetReportFormat = 1;

}  // namespace halftone
