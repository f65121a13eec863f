// Moves of a fleet: changes since the previous round, or since another fleet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_plan.h"
#include "src/fleet/report/fleet_bounds.h"

namespace halftone {

// Verdicts, the worst first.
enum class MoveKind : std::uint8_t {
  kFailsNow,      // gave more before: a point that meets the goal, or at least a front
  kGone,          // of the plan no longer
  kSlower,        // the speed-up's interval lies below that of before
  kLessAccurate,  // an accuracy of the chosen point is worse by more than its tolerance
  kPlanChanged,   // another plan, neither faster nor slower, as accurate
  kNew,           // not there before
  kMoreAccurate,
  kFaster,
  kWorksAgain,  // the reverse of kFailsNow
  kSame,
};

std::string_view NameOf(MoveKind kind);
std::string_view MeaningOf(MoveKind kind);
// All of them, in order.
std::span<const MoveKind> AllMoveKinds();

struct FleetMove {
  FleetItem item;
  std::vector<MoveKind> kinds;  // the worst first; more than one of a point that is slower and
                                // more accurate, say
  Judge judge = Judge::kSqnr;
  // Chosen points; kNoFront where there was or is no result.
  FleetCell before;
  FleetCell now;
  // Rank among moves of one kind: the smaller, the worse.
  double rank = 0;
  std::string note;  // "top1 0.985 -> 0.97; on another CPU"; empty: nothing
};

// Accuracy that may be lost or won without a move: decibels, and shares.
inline constexpr double kStillDb = 1;
inline constexpr double kStillShare = 0.001;

// One move for each item that is finished now, or was finished and is no longer in the plan,
// including kSame. The worst come first, items of one kind in the order of their rank, then as in
// `plan`. Intervals of the speed-up that touch count as no move.
std::vector<FleetMove> MovesOf(const std::vector<FleetResult>& results,
                               const std::vector<FleetResult>& before, const FleetPlan& plan);

}  // namespace halftone
