#include "src/fleet/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/fleet/report/report_texts.h"

namespace halftone {
namespace {

// "1.52 (41)": the unit is in the caption.
std::string ShortCellText(const FleetCell& cell, Judge judge) {
  if (cell.kind != CellKind::kPoint) {
    return CellText(cell, judge);
  }
  std::string nearness = NearnessText(cell, judge);
  nearness = nearness.substr(0, nearness.find(' '));
  return fmt::format("{:.2f}{}", cell.speed_up,
                     nearness.empty() ? "" : fmt::format(" ({})", nearness));
}

std::string MeanText(const BoundMean& mean) {
  return mean.networks == 0
             ? "-"
             : fmt::format("{:.3f} ({} of {})", mean.speed_up, mean.kept, mean.networks);
}

bool HasManyKinds(const FleetReport& report) {
  return report.kinds.size() > 1;
}

// A column of the table of speed-ups beside those of the bounds.
struct RowColumn {
  std::string_view heading;
  std::string (*text)(const FleetRow& row);
  bool (*shown)(const FleetReport& report);
};

bool HasOtherStates(const FleetReport& report) {
  return std::ranges::any_of(
      report.rows, [](const FleetRow& row) { return StateText(row) != NameOf(TaskEnd::kDone); });
}

// Figures of the front; "" where there is none.
constexpr RowColumn kRowColumns[] = {
    {"network", [](const FleetRow& row) { return row.item.network; },
     [](const FleetReport&) { return true; }},
    {"kind", [](const FleetRow& row) { return row.item.kind; }, HasManyKinds},
    {"state", StateText, HasOtherStates},
    {"float32, ms",
     [](const FleetRow& row) {
       const auto& seconds = row.result.reference_s;
       return seconds ? fmt::format("{:.3f}", *seconds * 1e3) : std::string();
     },
     [](const FleetReport&) { return true; }},
    {"samples",
     [](const FleetRow& row) {
       return row.has_front ? std::to_string(row.result.samples) : std::string();
     },
     IsSmallFleet},
    {"plans",
     [](const FleetRow& row) {
       return row.has_front ? std::to_string(row.result.measured + row.result.known)
                            : std::string();
     },
     IsSmallFleet},
    {"s",
     [](const FleetRow& row) {
       return row.has_front ? fmt::format("{:.0f}", row.result.search_s) : std::string();
     },
     IsSmallFleet},
};

}  // namespace

bool IsSmallFleet(const FleetReport& report) {
  return report.rows.size() <= kLargeFleet;
}

TextTable MeanTable(const FleetReport& report, Judge judge) {
  TextTable table = {.header = {"networks of"}, .rows = {}};
  for (const FleetBound& bound : BoundsOf(judge)) {
    table.header.emplace_back(bound.heading);
  }
  table.header.emplace_back(kChosenColumn);
  for (const MeanRow& mean : report.means) {
    if (mean.judge != judge) {
      continue;
    }
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells.push_back(mean.of_common ? mean.scope + ", those done on every kind" : mean.scope);
    for (const BoundMean& bound : mean.bounds) {
      cells.push_back(MeanText(bound));
    }
    cells.push_back(MeanText(mean.chosen));
  }
  return table;
}

TextTable SpeedUpTable(const FleetReport& report, Judge judge) {
  const bool small = IsSmallFleet(report);
  std::vector<const RowColumn*> columns;
  TextTable table;
  for (const RowColumn& column : kRowColumns) {
    if (column.shown(report)) {
      columns.push_back(&column);
      table.header.emplace_back(column.heading);
    }
  }
  for (const FleetBound& bound : BoundsOf(judge)) {
    table.header.emplace_back(bound.heading);
  }
  table.header.emplace_back(kChosenColumn);
  for (const FleetRow& row : report.rows) {
    if (row.judge != judge) {
      continue;
    }
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const RowColumn* column : columns) {
      cells.push_back(column->text(row));
    }
    for (const FleetCell& cell : row.cells) {
      cells.push_back(small ? CellText(cell, judge) : ShortCellText(cell, judge));
    }
    cells.push_back(small ? CellText(row.chosen, judge) : ShortCellText(row.chosen, judge));
  }
  return table;
}

}  // namespace halftone
