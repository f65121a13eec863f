// Large tables of a fleet's report: networks by bounds, and their means.
#pragma once

#include <cstddef>

#include "src/base/text_table.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

// Number of items above which tables have no intervals and fewer columns, so that a page has only
// some megabytes.
inline constexpr std::size_t kLargeFleet = 2000;
bool IsSmallFleet(const FleetReport& report);

// Geometric means for the networks of one judge; no rows: none of them has a front.
TextTable MeanTable(const FleetReport& report, Judge judge);

// One row for each item of one judge, in the order of the report; columns without content are left
// out.
TextTable SpeedUpTable(const FleetReport& report, Judge judge);

}  // namespace halftone
