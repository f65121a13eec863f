// Sections of a fleet's report as tables and sentences, which report.html, report.md and the screen
// share.
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
  std::vector<std::string> sentences;  // may have foreign text; not escaped
  std::string caption;
  TextTable table;  // no rows: the section has no table
  // Links of the first cells, parallel to the rows of the table: URLs relative to the round's
  // folder; "": no link. Empty: no row has a link.
  std::vector<std::string> links;
};

// Sections of the report that have content.
std::vector<ReportSection> SectionsOf(const FleetReport& report);

}  // namespace halftone
