// Words of a fleet's report that its formats have in common. They quote names and errors, and are
// not escaped.
#pragma once

#include <string>
#include <vector>

#include "src/fleet/report/fleet_report.h"

namespace halftone {

// "6 of 8 items are finished: 4 done, 1 not meeting its goal, 1 failed; 2 not finished"
std::string CountsSentence(const FleetCounts& counts);

// "done", "failed", "done, busy, other CPU", "damaged", "not finished"
std::string StateText(const FleetRow& row);

// "1.52 [1.49, 1.55] (41 dB)"; "-" where only float32 keeps the bound.
std::string CellText(const FleetCell& cell, Judge judge);

// "41 dB", "99.12 %", "exact"; "" where it is not known.
std::string NearnessText(const FleetCell& cell, Judge judge);

// "results/zen5/net/report.html" as a URL: characters beyond letters, digits and -._~/ in %XX.
std::string ResultUrl(const FleetItem& item);

// Reason why the item has no good result: the error, the verdict; "": it has one.
std::string ReasonText(const FleetRow& row);

// Rows that have no good result, those without a front first; not finished ones are left out.
std::vector<const FleetRow*> BadRows(const FleetReport& report);

// Kinds of the first verdicts and their number: "1 slower, 40 same".
std::string MoveCounts(const FleetReport& report);

// "slower, more accurate"
std::string MoveText(const FleetMove& move);

}  // namespace halftone
