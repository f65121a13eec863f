// Sections of a fleet's report as tables and sentences: what report.html, report.md and the screen
// have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/text_table.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

struct ReportSection {
  std::string_view id;
  std::string heading;
  std::vector<std::string> sentences;  // foreign text among them: not escaped
  std::string caption;
  TextTable table;  // no rows: none
  // Parallel to the rows of the table: page that the first cell links to, relative to the round's
  // folder, as a URL; "": none. Empty: no row has one.
  std::vector<std::string> links;
};

// The sections for which the report has content.
std::vector<ReportSection> SectionsOf(const FleetReport& report);

}  // namespace halftone
