#include "src/fleet/report/fleet_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/report/formats.h"

namespace halftone {
namespace {

using ResultMap = std::map<FleetItem, const FleetResult*>;

// Networks in the order of the plan, and for each its kinds in that order.
std::vector<FleetItem> ItemsByNetwork(const FleetPlan& plan) {
  std::vector<FleetItem> items;
  for (const FleetNetwork& network : plan.networks) {
    for (const FleetKind& kind : plan.kinds) {
      if (std::ranges::find(network.kinds, kind.name) != network.kinds.end()) {
        items.push_back({kind.name, network.name});
      }
    }
  }
  return items;
}

FleetResult WithoutPoints(const FleetResult& result) {
  FleetResult copy = result;
  copy.points.clear();
  copy.points.shrink_to_fit();
  return copy;
}

// A network fails on one kind and has integer outputs on the other: its judge is that of the
// other.
std::map<std::string, Judge> JudgesByNetwork(const std::vector<FleetResult>& results) {
  std::map<std::string, Judge> judges;
  for (const FleetResult& result : results) {
    if (const auto judge = JudgeOf(result)) {
      judges.emplace(result.network, *judge);
    }
  }
  return judges;
}

FleetRow RowOfResult(const FleetResult& result, Judge judge) {
  return {.item = {result.kind, result.network},
          .state = RowState::kFinished,
          .result = WithoutPoints(result),
          .judge = judge,
          .has_front = !result.points.empty(),
          .cells = CellsOf(result, judge),
          .chosen = ChosenCell(result, judge),
          .busy = IsBusy(result)};
}

FleetRow RowWithoutResult(const FleetItem& item, Judge judge,
                          const std::map<FleetItem, std::string>& damage) {
  const auto found = damage.find(item);
  FleetRow row = {.item = item, .judge = judge};
  row.state = found != damage.end() ? RowState::kDamaged : RowState::kNotFinished;
  row.damage = found != damage.end() ? found->second : std::string();
  row.cells.resize(BoundsOf(judge).size());
  return row;
}

void CountRow(const FleetRow& row, FleetCounts& counts) {
  ++counts.items;
  counts.damaged += row.state == RowState::kDamaged ? 1 : 0;
  counts.not_finished += row.state == RowState::kNotFinished ? 1 : 0;
  if (row.state != RowState::kFinished) {
    return;
  }
  const TaskEnd end = row.result.end;
  const bool not_met = HasFrontOnly(end);
  counts.good += IsGood(end) ? 1 : 0;
  counts.not_met += not_met ? 1 : 0;
  counts.failed += !IsGood(end) && !not_met ? 1 : 0;
  counts.busy += row.busy ? 1 : 0;
  counts.seconds += row.result.seconds;
}

void AddToKind(const FleetRow& row, FleetKindRow& kind) {
  CountRow(row, kind.counts);
  const FleetResult& result = row.result;
  if (!result.cpu.empty()) {
    ++kind.cpus[result.cpu];
  }
  if (!result.isa.empty()) {
    kind.isas.insert(result.isa);
  }
  if (!result.target.empty()) {
    kind.targets.insert(result.target);
  }
}

void CountRows(const FleetPlan& plan, FleetReport& report) {
  std::map<std::string, std::size_t> place;
  for (const FleetKind& kind : plan.kinds) {
    place.emplace(kind.name, report.kinds.size());
    report.kinds.push_back({.name = kind.name});
  }
  for (const FleetRow& row : report.rows) {
    CountRow(row, report.counts);
    AddToKind(row, report.kinds[place.at(row.item.kind)]);
  }
}

// Marks results of the rarer CPU models of a kind.
void MarkOtherCpus(FleetReport& report) {
  std::map<std::string, std::string> usual;
  for (const FleetKindRow& kind : report.kinds) {
    if (kind.cpus.size() > 1) {
      usual[kind.name] = std::ranges::max_element(kind.cpus, {}, [](const auto& cpu) {
                           return cpu.second;
                         })->first;
    }
  }
  for (FleetRow& row : report.rows) {
    const auto found = usual.find(row.item.kind);
    row.other_cpu =
        found != usual.end() && !row.result.cpu.empty() && row.result.cpu != found->second;
  }
}

// A tie is no gain: it counts as 1.
bool IsTie(const FleetCell& cell) {
  return IsTie(Latency{.ratio = 1 / cell.speed_up,
                       .ratio_interval = {1 / cell.speed_up_high, 1 / cell.speed_up_low}});
}

void AddToMean(const FleetCell& cell, BoundMean& mean) {
  if (cell.kind != CellKind::kPoint && cell.kind != CellKind::kNone) {
    return;
  }
  ++mean.networks;
  if (cell.kind == CellKind::kPoint) {
    ++mean.kept;
    // A sum of logarithms until FinishMean().
    mean.speed_up += IsTie(cell) ? 0 : std::log(cell.speed_up);
  }
}

void FinishMean(BoundMean& mean) {
  mean.speed_up =
      mean.networks > 0 ? std::exp(mean.speed_up / static_cast<double>(mean.networks)) : 1;
}

// `counts`: which rows belong to it.
template <typename Counts>
MeanRow MeanOfRows(const std::vector<FleetRow>& rows, MeanRow mean, Counts&& counts) {
  mean.bounds.assign(BoundsOf(mean.judge).size(), {.speed_up = 0});
  mean.chosen.speed_up = 0;
  for (const FleetRow& row : rows) {
    if (row.judge != mean.judge || !counts(row)) {
      continue;
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      AddToMean(row.cells[i], mean.bounds[i]);
    }
    AddToMean(row.chosen, mean.chosen);
  }
  std::ranges::for_each(mean.bounds, FinishMean);
  FinishMean(mean.chosen);
  return mean;
}

// Networks of the judge that have a front on every kind; empty when these are all that have one.
std::set<std::string> CommonNetworks(const FleetReport& report, Judge judge) {
  std::map<std::string, std::size_t> fronts;
  for (const FleetRow& row : report.rows) {
    if (row.judge == judge && row.has_front) {
      ++fronts[row.item.network];
    }
  }
  std::set<std::string> common;
  for (const auto& [network, count] : fronts) {
    if (count == report.kinds.size()) {
      common.insert(network);
    }
  }
  return common.size() == fronts.size() ? std::set<std::string>() : common;
}

void AddMeansOf(Judge judge, FleetReport& report) {
  const auto add = [&](MeanRow mean, auto&& counts) {
    mean.judge = judge;
    mean = MeanOfRows(report.rows, std::move(mean), counts);
    if (mean.chosen.networks > 0) {
      report.means.push_back(std::move(mean));
    }
  };
  for (const FleetKindRow& kind : report.kinds) {
    add({.scope = kind.name}, [&](const FleetRow& row) { return row.item.kind == kind.name; });
  }
  if (report.kinds.size() < 2) {
    return;
  }
  add({.scope = "all kinds"}, [](const FleetRow&) { return true; });
  const std::set<std::string> common = CommonNetworks(report, judge);
  for (const FleetKindRow& kind : report.kinds) {
    add({.scope = kind.name, .of_common = true}, [&](const FleetRow& row) {
      return row.item.kind == kind.name && common.contains(row.item.network);
    });
  }
}

}  // namespace

FleetReport MakeFleetReport(const std::vector<FleetResult>& results, const FleetPlan& plan,
                            const std::vector<FleetResult>& before, FleetReportFacts facts) {
  FleetReport report = {.facts = std::move(facts), .task = plan.task};
  ResultMap finished;
  for (const FleetResult& result : results) {
    finished.emplace(FleetItem{result.kind, result.network}, &result);
  }
  std::map<FleetItem, std::string> damage;
  for (const auto& [item, reason] : report.facts.damaged) {
    damage.emplace(item, reason);
  }
  const std::map<std::string, Judge> judges = JudgesByNetwork(results);
  for (const FleetItem& item : ItemsByNetwork(plan)) {
    const auto known = judges.find(item.network);
    const Judge judge = known != judges.end() ? known->second : Judge::kSqnr;
    if (const auto found = finished.find(item); found != finished.end()) {
      report.rows.push_back(RowOfResult(*found->second, judge));
      finished.erase(found);
    } else {
      report.rows.push_back(RowWithoutResult(item, judge, damage));
    }
  }
  for (const auto& [item, result] : finished) {
    report.strangers.push_back(item);
  }
  CountRows(plan, report);
  MarkOtherCpus(report);
  AddMeansOf(Judge::kSqnr, report);
  AddMeansOf(Judge::kAgreement, report);
  report.compared = !report.facts.before.empty();
  if (report.compared) {
    report.moves = MovesOf(results, before, plan);
  }
  return report;
}

}  // namespace halftone
