// Large tables of a fleet's report: networks by bounds, and their means.
#pragma once

#include <cstddef>

#include "src/base/text_table.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

// Items above which tables have no intervals and fewer columns: a page of some megabytes opens.
inline constexpr std::size_t kLargeFleet = 2000;
bool IsSmallFleet(const FleetReport& report);

// Geometric means of one judge; no rows: no network of it has a front.
TextTable MeanTable(const FleetReport& report, Judge judge);

// A row an item of one judge, in the order of the report; columns that say nothing are left out.
TextTable SpeedUpTable(const FleetReport& report, Judge judge);

}  // namespace halftone
