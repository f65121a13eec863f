// Report of a round, read from the fleet's folder.
#pragma once

#include <optional>

#include "src/fleet/fleet_folder.h"
#include "src/fleet/report/fleet_report.h"

namespace halftone {

// Reads the results of the round and makes its report. `before`: round of this or another fleet to
// compare with; empty: the previous round, if there is one. Damaged results are listed in the
// report. Errors: kIo; kUsage.
FleetReport ReportOfRound(const FleetFolder& folder, const std::optional<FleetFolder>& before);

}  // namespace halftone
