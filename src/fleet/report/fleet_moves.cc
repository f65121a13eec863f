#include "src/fleet/report/fleet_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "src/base/enum_table.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr EnumRow<MoveKind> kMoveNames[] = {
    {MoveKind::kFailsNow, "fails now", "it gave more before"},
    {MoveKind::kGone, "gone", "the plan has it no longer"},
    {MoveKind::kSlower, "slower",
     "the interval of the chosen point's speed-up lies below the one of before"},
    {MoveKind::kLessAccurate, "less accurate",
     "the chosen point lost more than 1 dB of SQNR, or more than 0.1 % of agreement or top-1"},
    {MoveKind::kPlanChanged, "plan changed",
     "another plan is chosen, which is as fast and as accurate"},
    {MoveKind::kNew, "new", "it was not there before"},
    {MoveKind::kMoreAccurate, "more accurate", "the reverse of less accurate"},
    {MoveKind::kFaster, "faster", "the reverse of slower"},
    {MoveKind::kWorksAgain, "works again", "the reverse of fails now"},
    {MoveKind::kSame, "same", "nothing moved"},
};

constexpr MoveKind kAllMoves[] = {
    MoveKind::kFailsNow,    MoveKind::kGone, MoveKind::kSlower,       MoveKind::kLessAccurate,
    MoveKind::kPlanChanged, MoveKind::kNew,  MoveKind::kMoreAccurate, MoveKind::kFaster,
    MoveKind::kWorksAgain,  MoveKind::kSame};

struct ComparedMetric {
  std::string_view name;
  double still;  // higher is better in all of them
};

// A difference of shares like 0.999 - 0.998 is inexact in binary.
constexpr double kRounding = 1e-12;
constexpr ComparedMetric kCompared[] = {{"sqnr_db", kStillDb},
                                        {"agreement", kStillShare + kRounding},
                                        {"top1", kStillShare + kRounding},
                                        {"top1_agreement", kStillShare + kRounding}};

// How much an item gave: 0 nothing, 1 a front, 2 what was asked for. Where that is not known,
// nothing shows that it fails now.
int LevelOf(const FleetResult& result) {
  if (IsGood(result.end) || result.end == TaskEnd::kInconclusive) {
    return 2;
  }
  return HasFrontOnly(result.end) ? 1 : 0;
}

void AddNote(std::string_view note, FleetMove& move) {
  move.note += (move.note.empty() ? "" : "; ") + std::string(note);
}

void CompareSpeed(const FleetPoint& before, const FleetPoint& now, FleetMove& move) {
  const bool slower = now.speed_up_high < before.speed_up_low;
  if (!slower && !(now.speed_up_low > before.speed_up_high)) {
    return;
  }
  move.kinds.push_back(slower ? MoveKind::kSlower : MoveKind::kFaster);
  // A file may say 0.
  move.rank = before.speed_up > 0 ? now.speed_up / before.speed_up : 0;
}

// In units of what a metric may change without a move, the worst loss or else the best gain.
void CompareAccuracy(const FleetPoint& before, const FleetPoint& now, FleetMove& move) {
  double worst = 0;
  double best = 0;
  for (const ComparedMetric& metric : kCompared) {
    const double* was = FindAccuracy(before, metric.name);
    const double* is = FindAccuracy(now, metric.name);
    if (was == nullptr || is == nullptr) {
      continue;
    }
    const double change = (*is - *was) / metric.still;
    worst = std::min(worst, change);
    best = std::max(best, change);
    if (std::max(change, -change) > 1 && metric.name != MetricOf(move.judge)) {
      AddNote(fmt::format("{} {:.6g} -> {:.6g}", metric.name, *was, *is), move);
    }
  }
  // A slower point ranks among the slower ones; a faster one that is less accurate, among these.
  const bool speed_decides = !move.kinds.empty() && move.kinds.front() == MoveKind::kSlower;
  if (worst < -1) {
    move.kinds.push_back(MoveKind::kLessAccurate);
    move.rank = speed_decides ? move.rank : worst;
  } else if (best > 1) {
    move.kinds.push_back(MoveKind::kMoreAccurate);
    move.rank = speed_decides ? move.rank : best;
  }
}

void ComparePoints(const FleetPoint& before, const FleetPoint& now, FleetMove& move) {
  CompareSpeed(before, now, move);
  CompareAccuracy(before, now, move);
  if (before.digest == now.digest) {
    return;
  }
  if (move.kinds.empty()) {
    move.kinds.push_back(MoveKind::kPlanChanged);
  } else {
    AddNote("another plan", move);
  }
}

// What explains a move better than the tuning does.
void AddCircumstances(const FleetResult& before, const FleetResult& now, FleetMove& move) {
  const std::pair<bool, std::string> circumstances[] = {
      {before.model_hash != now.model_hash && !before.model_hash.empty() && !now.model_hash.empty(),
       "the network is another one"},
      {before.cpu != now.cpu && !before.cpu.empty() && !now.cpu.empty(), "on another CPU"},
      {before.version != now.version && !before.version.empty() && !now.version.empty(),
       fmt::format("halftone {}, then {}", before.version, now.version)},
      {IsBusy(before), "the machine was busy before"},
      {IsBusy(now), "the machine was busy"}};
  for (const auto& [holds, note] : circumstances) {
    if (holds) {
      AddNote(note, move);
    }
  }
}

MoveKind VerdictOfChange(int change) {
  return change < 0 ? MoveKind::kFailsNow : MoveKind::kWorksAgain;
}

void CompareResults(const FleetResult& before, const FleetResult& now, FleetMove& move) {
  const FleetPoint* was = ChosenPoint(before);
  const FleetPoint* is = ChosenPoint(now);
  if (const int change = LevelOf(now) - LevelOf(before); change != 0) {
    move.kinds.push_back(VerdictOfChange(change));
    AddNote(fmt::format("{} -> {}", NameOf(before.end), NameOf(now.end)), move);
  } else if ((was == nullptr) != (is == nullptr)) {
    move.kinds.push_back(VerdictOfChange(is == nullptr ? -1 : 1));
    AddNote(is == nullptr ? "no point is chosen now" : "no point was chosen before", move);
  } else if (was != nullptr) {
    ComparePoints(*was, *is, move);
  }
  std::ranges::sort(move.kinds);
  if (move.kinds.empty()) {
    move.kinds.push_back(MoveKind::kSame);
  }
  AddCircumstances(before, now, move);
}

FleetMove MoveOf(const FleetItem& item, const FleetResult* before, const FleetResult* now) {
  FleetMove move = {.item = item};
  for (const FleetResult* result : {now, before}) {
    if (const auto judge = result != nullptr ? JudgeOf(*result) : std::nullopt) {
      move.judge = *judge;
      break;
    }
  }
  move.before = before != nullptr ? ChosenCell(*before, move.judge) : FleetCell{};
  move.now = now != nullptr ? ChosenCell(*now, move.judge) : FleetCell{};
  if (before == nullptr || now == nullptr) {
    move.kinds = {now == nullptr ? MoveKind::kGone : MoveKind::kNew};
  } else {
    CompareResults(*before, *now, move);
  }
  return move;
}

using ResultsByItem = std::map<FleetItem, const FleetResult*>;

ResultsByItem ByItem(const std::vector<FleetResult>& results) {
  ResultsByItem by_item;
  for (const FleetResult& result : results) {
    by_item.emplace(FleetItem{result.kind, result.network}, &result);
  }
  return by_item;
}

const FleetResult* FindResult(const ResultsByItem& results, const FleetItem& item) {
  const auto found = results.find(item);
  return found != results.end() ? found->second : nullptr;
}

}  // namespace

std::string_view NameOf(MoveKind kind) {
  return NameIn(kMoveNames, kind);
}

std::string_view MeaningOf(MoveKind kind) {
  return std::ranges::find(kMoveNames, kind, &EnumRow<MoveKind>::value)->meaning;
}

std::span<const MoveKind> AllMoveKinds() {
  return kAllMoves;
}

std::vector<FleetMove> MovesOf(const std::vector<FleetResult>& results,
                               const std::vector<FleetResult>& before, const FleetPlan& plan) {
  const ResultsByItem now_by_item = ByItem(results);
  const ResultsByItem before_by_item = ByItem(before);
  std::map<FleetItem, std::size_t> place;
  std::vector<FleetMove> moves;
  for (const FleetItem& item : ItemsOf(plan)) {
    place.emplace(item, place.size());
    if (const FleetResult* now = FindResult(now_by_item, item)) {
      moves.push_back(MoveOf(item, FindResult(before_by_item, item), now));
    }
  }
  for (const auto& [item, result] : before_by_item) {
    if (place.emplace(item, place.size()).second) {
      moves.push_back(MoveOf(item, result, nullptr));
    }
  }
  std::ranges::stable_sort(moves, {}, [&](const FleetMove& move) {
    return std::tuple(move.kinds.front(), move.rank, place.at(move.item));
  });
  return moves;
}

}  // namespace halftone
