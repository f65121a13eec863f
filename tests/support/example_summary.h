// Made-up tuning runs for tests of the reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/report/tune_summary.h"

namespace halftone::testing {

// Three points, the second one chosen; some names need escapes.
TuneSummary ExampleSummary();

// Names, warnings and a command that try to break out of the page.
TuneSummary HostileSummary();

// Sixty operators, twelve points: what a real network gives.
TuneSummary LargeSummary();

// No output is floating: there is agreement, and no SQNR.
TuneSummary DiscreteSummary();

// By name: those above, one of which no point meets the bounds, one without any point.
std::vector<std::pair<std::string, TuneSummary>> AllExampleSummaries();

}  // namespace halftone::testing
