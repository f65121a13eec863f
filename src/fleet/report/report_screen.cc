// Short table of a fleet for the screen: totals, means, and the first items, the worst first.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_texts.h"

namespace halftone {
namespace {

void AddBroken(std::string_view sentence, std::string& text) {
  for (const std::string& line : BrokenLines(Printable(sentence), kColumnsOfFiles)) {
    AddLine(text, line);
  }
}

// Geometric means of one judge, without the numbers of networks.
TextTable ScreenMeans(const FleetReport& report, Judge judge) {
  TextTable table = {.header = {"mean speed-up"}, .rows = {}};
  for (const FleetBound& bound : BoundsOf(judge)) {
    table.header.emplace_back(bound.heading);
  }
  table.header.emplace_back(kChosenColumn);
  const auto text_of = [](const BoundMean& mean) {
    return mean.networks > 0 ? fmt::format("{:.2f}x", mean.speed_up) : std::string("-");
  };
  for (const MeanRow& mean : report.means) {
    if (mean.judge != judge || mean.of_common) {
      continue;
    }
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells.push_back(Shown(mean.scope));
    std::ranges::transform(mean.bounds, std::back_inserter(cells), text_of);
    cells.push_back(text_of(mean.chosen));
  }
  return table;
}

// Those without a front first, then those that do not meet their goal, then what moved, in its
// order; the smaller the worse.
std::size_t RankOnScreen(const FleetRow& row, const std::map<FleetItem, std::size_t>& moves) {
  if (!ReasonText(row).empty()) {
    return row.has_front ? 1 : 0;
  }
  const auto found = moves.find(row.item);
  return 2 + (found != moves.end() ? found->second : moves.size());
}

std::vector<const FleetRow*> WorstFirst(const FleetReport& report) {
  std::map<FleetItem, std::size_t> moves;
  for (const FleetMove& move : report.moves) {
    moves.emplace(move.item, moves.size());
  }
  std::vector<const FleetRow*> rows;
  for (const FleetRow& row : report.rows) {
    if (row.state != RowState::kNotFinished) {
      rows.push_back(&row);
    }
  }
  std::ranges::stable_sort(rows, {},
                           [&](const FleetRow* row) { return RankOnScreen(*row, moves); });
  return rows;
}

std::map<FleetItem, std::string> MovesByItem(const FleetReport& report) {
  std::map<FleetItem, std::string> texts;
  for (const FleetMove& move : report.moves) {
    texts.emplace(move.item, MoveText(move));
  }
  return texts;
}

TextTable ScreenTable(const FleetReport& report, const std::vector<const FleetRow*>& rows) {
  TextTable table = {.header = {"network", "kind", "state", "chosen", "accuracy"}, .rows = {}};
  if (report.compared) {
    table.header.emplace_back("moved");
  }
  const std::map<FleetItem, std::string> moves = MovesByItem(report);
  for (std::size_t i = 0; i < std::min(kScreenRows, rows.size()); ++i) {
    const FleetRow& row = *rows[i];
    const bool point = row.chosen.kind == CellKind::kPoint;
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells = {Shown(row.item.network), Shown(row.item.kind), StateText(row),
             point ? fmt::format("{:.2f}x", row.chosen.speed_up) : "-",
             NearnessText(row.chosen, row.judge)};
    if (report.compared) {
      const auto found = moves.find(row.item);
      cells.push_back(found != moves.end() ? found->second : "");
    }
  }
  return table;
}

}  // namespace

std::string FormatFleetTable(const FleetReport& report) {
  std::string text;
  AddBroken(CountsSentence(report.counts), text);
  if (report.compared && !report.moves.empty()) {
    AddBroken(fmt::format("since {}: {}", report.facts.before, MoveCounts(report)), text);
  }
  for (const Judge judge : {Judge::kSqnr, Judge::kAgreement}) {
    if (const TextTable means = ScreenMeans(report, judge); !means.rows.empty()) {
      text += "\n" + AlignedTable(means);
    }
  }
  const std::vector<const FleetRow*> rows = WorstFirst(report);
  if (rows.empty()) {
    return text;
  }
  text += "\n" + AlignedTable(ScreenTable(report, rows));
  if (rows.size() > kScreenRows) {
    AddLine(text, fmt::format("... and {} more in report.md", rows.size() - kScreenRows));
  }
  return text;
}

}  // namespace halftone
