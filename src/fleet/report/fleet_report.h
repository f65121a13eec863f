// Report of a round of a fleet as data: networks by bounds, machine kinds side by side, totals,
// what failed, what is missing, what moved. Files are made of it by
// src/fleet/report/report_formats.h.
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
  std::string reason;  // the error that reading it raised
};

// Facts that neither results nor plan contain.
struct FleetReportFacts {
  std::string name;  // of the fleet
  int round = 1;
  std::string created_at;  // UTC, ISO 8601
  std::string tool_version;
  std::string before;  // what the results are compared with: "round 1"; empty: with nothing
  std::vector<DamagedResult> damaged;
};

// True if an item has a result.
enum class RowState : std::uint8_t { kFinished, kDamaged, kNotFinished };

// An item of the plan.
struct FleetRow {
  FleetItem item;
  RowState state = RowState::kNotFinished;
  FleetResult result;  // of kFinished, without its points
  std::string damage;  // of kDamaged: the reason
  Judge judge = Judge::kSqnr;
  bool has_front = false;
  std::vector<FleetCell> cells;  // parallel to BoundsOf(judge)
  FleetCell chosen;
  bool busy = false;       // IsBusy()
  bool other_cpu = false;  // not of the CPU model that most results of its kind have
};

struct FleetCounts {
  std::int64_t items = 0;
  std::int64_t good = 0;     // IsGood()
  std::int64_t not_met = 0;  // a front, but not what was asked for
  std::int64_t failed = 0;   // no front
  std::int64_t damaged = 0;
  std::int64_t not_finished = 0;
  std::int64_t busy = 0;
  double seconds = 0;  // of the tasks, together
};

struct FleetKindRow {
  std::string name;
  FleetCounts counts;
  std::map<std::string, std::int64_t> cpus;  // results by CPU model
  std::set<std::string> isas;
  std::set<std::string> targets;
};

// Geometric mean of the speed-up at a bound. A network counts as 1 where only float32 keeps the
// bound, or the point is as fast as float32 as far as is known (IsTie()); one without classes does
// not count for a bound on classes.
struct BoundMean {
  std::int64_t networks = 0;
  std::int64_t kept = 0;  // networks with a point; at a bound, with one that is faster than float32
  double speed_up = 1;
};

struct MeanRow {
  std::string scope;  // a kind, "all kinds"
  // Covers only networks that have a front on every kind, to compare kinds that are done in part.
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
  std::vector<FleetRow> rows;       // networks in the order of the plan, kinds beside each other
  std::vector<MeanRow> means;
  bool compared = false;
  std::vector<FleetMove> moves;      // MovesOf()
  std::vector<FleetItem> strangers;  // results of items that the plan does not have: left out
};

// `results`: finished items of the round; of two for one item the first counts. `before`: those of
// the round before, looked at where facts.before is not empty.
FleetReport MakeFleetReport(const std::vector<FleetResult>& results, const FleetPlan& plan,
                            const std::vector<FleetResult>& before, FleetReportFacts facts);

}  // namespace halftone
