// Formats of a fleet's report: one table, one function each.
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

// Writes each format as a file into the folder of the round, whose results/ the page links to.
// Error kIo.
void WriteFleetReport(const FleetReport& report, const std::filesystem::path& folder);

std::string FormatFleetHtml(const FleetReport& report);
std::string FormatFleetMarkdown(const FleetReport& report);
std::string FormatFleetCsv(const FleetReport& report);
std::string FormatFleetJson(const FleetReport& report);

// Items of the table for the screen.
inline constexpr std::size_t kScreenRows = 20;

// For the screen, at most 80 columns: totals, means, and the first kScreenRows items, the worst
// first.
std::string FormatFleetTable(const FleetReport& report);

// The version of the layout of report.json (docs/reference/fleet_report.schema.json), raised when a
// member changes its meaning or goes away.
inline constexpr int kFleetReportFormat = 1;

}  // namespace halftone
