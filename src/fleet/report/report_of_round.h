// Report of a round, read from the fleet's folder.
#pragma once

#include <optional>

#include "src/fleet/fleet_folder.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

// `before`: a round, of this fleet or of another one, that the results are compared with; empty:
// the round before, if there was one. Damaged results are named. Errors kIo, kUsage.
FleetReport ReportOfRound(const FleetFolder& folder, const std::optional<FleetFolder>& before);

}  // namespace halftone
