// Data of a report on a round of a fleet: a row for each item, totals, means, failures and moves.
// src/fleet/report/report_formats.h writes it into files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"
#include "src/fleet/report/fleet_bounds.h"
#include "src/fleet/report/fleet_moves.h"

namespace halftone {

struct DamagedResult {
  FleetItem item;
  std::string reason;  // message of the error on reading it
};

// Facts that neither the results nor the plan contain.
struct FleetReportFacts {
  std::string name;  // name of the fleet
  int round = 1;
  std::string created_at;  // UTC, ISO 8601
  std::string tool_version;
  std::string before;  // name of the earlier results: "round 1"; empty: nothing is compared
  std::vector<DamagedResult> damaged;
};

// State of the result of an item.
enum class RowState : std::uint8_t { kFinished, kDamaged, kNotFinished };

// Row of an item of the plan.
struct FleetRow {
  FleetItem item;
  RowState state = RowState::kNotFinished;
  FleetResult result;  // for kFinished: the result without its points
  std::string damage;  // for kDamaged: the reason
  Judge judge = Judge::kSqnr;
  bool has_front = false;
  std::vector<FleetCell> cells;  // parallel to BoundsOf(judge)
  FleetCell chosen;
  bool busy = false;       // IsBusy()
  bool other_cpu = false;  // true: its CPU model is not the most frequent one of its kind
};

// Numbers of items by state.
struct FleetCounts {
  std::int64_t items = 0;
  std::int64_t good = 0;     // IsGood()
  std::int64_t not_met = 0;  // HasFrontOnly()
  std::int64_t failed = 0;   // other ends
  std::int64_t damaged = 0;
  std::int64_t not_finished = 0;
  std::int64_t busy = 0;
  double seconds = 0;  // sum over the tasks
};

struct FleetKindRow {
  std::string name;
  FleetCounts counts;
  std::map<std::string, std::int64_t> cpus;  // number of results by CPU model
  std::set<std::string> isas;
  std::set<std::string> targets;
};

// Geometric mean of the speed-ups at a bound, or of the chosen points. A network counts as 1 if
// only float32 keeps the bound, or if the point may be as fast as float32 (IsTie()). A network
// without classes does not count for a bound about classes.
struct BoundMean {
  std::int64_t networks = 0;  // number of networks in the mean
  std::int64_t kept = 0;      // number of these with a point (CellKind::kPoint)
  double speed_up = 1;
};

struct MeanRow {
  std::string scope;  // name of a kind, or "all kinds"
  // True: covers only networks with a front on every kind, so that unfinished kinds compare.
  bool of_common = false;
  Judge judge = Judge::kSqnr;
  std::vector<BoundMean> bounds;  // parallel to BoundsOf(judge)
  BoundMean chosen;
};

struct FleetReport {
  FleetReportFacts facts;
  RoundTask task = RoundTask::kTune;
  FleetCounts counts;
  std::vector<FleetKindRow> kinds;  // in the order of the plan
  std::vector<FleetRow> rows;       // by network in the order of the plan, then by kind
  std::vector<MeanRow> means;
  bool compared = false;
  std::vector<FleetMove> moves;      // MovesOf()
  std::vector<FleetItem> strangers;  // items with a result that are not in the plan; not in `rows`
};

// Makes the data of a report. `results`: results of the round; if an item has several, the first
// one counts. `before`: earlier results to compare with; not used if facts.before is empty.
FleetReport MakeFleetReport(const std::vector<FleetResult>& results, const FleetPlan& plan,
                            const std::vector<FleetResult>& before, FleetReportFacts facts);

}  // namespace halftone
