// Large tables of a fleet's report: networks by bounds, and their means.
#pragma once

#include <cstddef>

#include "src/base/text_table.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

// Largest number of items for which tables have intervals and all columns. A page with more items
// would have many megabytes.
inline constexpr std::size_t kLargeFleet = 2000;
bool IsSmallFleet(const FleetReport& report);

// Table of the geometric means over the networks of one judge. No rows: none of them has a front.
TextTable MeanTable(const FleetReport& report, Judge judge);

// Table with one row for each item of one judge, in the order of the report, without empty columns.
TextTable SpeedUpTable(const FleetReport& report, Judge judge);

}  // namespace halftone
