// Moves of a fleet: changes of its results since the previous round, or relative to another fleet.
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

// Kinds of moves, the worst first.
enum class MoveKind : std::uint8_t {
  kFailsNow,      // no longer meets its goal, or lost its chosen point or its front
  kGone,          // is no longer in the plan
  kSlower,        // the interval of the chosen point's speed-up lies below the earlier one
  kLessAccurate,  // a metric of the chosen point got worse by more than its tolerance
  kPlanChanged,   // another plan is chosen, with the same speed and accuracy
  kNew,           // had no result before
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
  std::vector<MoveKind> kinds;  // the worst first; two for example if slower and more accurate
  Judge judge = Judge::kSqnr;
  // Chosen points; kNoFront: no result.
  FleetCell before;
  FleetCell now;
  // Rank among moves of one kind; a smaller rank is worse.
  double rank = 0;
  std::string note;  // "top1 0.985 -> 0.97; on another CPU"; may be empty
};

// Largest changes of accuracy that are no moves.
inline constexpr double kStillDb = 1;         // dB of SQNR
inline constexpr double kStillShare = 0.001;  // share of samples or elements

// Returns one move, maybe kSame, for each item that is finished now, and one for each item that was
// finished before and has left the plan. Moves are sorted by their worst kind, then by rank, then
// as in `plan`. A change of speed is a move only if the two intervals are disjoint.
std::vector<FleetMove> MovesOf(const std::vector<FleetResult>& results,
                               const std::vector<FleetResult>& before, const FleetPlan& plan);

}  // namespace halftone
