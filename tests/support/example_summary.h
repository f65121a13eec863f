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

// Sixty operators and twelve points, as a real network gives.
TuneSummary LargeSummary();

// A network without floating outputs: it has agreement in place of SQNR.
TuneSummary DiscreteSummary();

// All summaries by name: those above, and variants of the first, for example without a promise,
// without bounds, with bounds that no point meets, or without any point.
std::vector<std::pair<std::string, TuneSummary>> AllExampleSummaries();

}  // namespace halftone::testing
