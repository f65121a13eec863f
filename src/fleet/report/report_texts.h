// Texts that the formats of a fleet's report share. They may quote names and errors, and are not
// escaped.
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

// "41 dB", "99.12 %", "exact"; "" if it is unknown.
std::string NearnessText(const FleetCell& cell, Judge judge);

// "results/zen5/net/report.html" as a URL: characters other than letters, digits and -._~/ as %XX.
std::string ResultUrl(const FleetItem& item);

// Reason why the result of the item is not good: the error, or the verdict; "": it is good.
std::string ReasonText(const FleetRow& row);

// Finished or damaged rows whose result is not good, those without a front first.
std::vector<const FleetRow*> BadRows(const FleetReport& report);

// Number of moves by their worst kind: "1 slower, 40 same".
std::string MoveCounts(const FleetReport& report);

// "slower, more accurate"
std::string MoveText(const FleetMove& move);

}  // namespace halftone
