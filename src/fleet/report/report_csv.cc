// report.csv of a fleet (RFC 4180): one row for each item and bound, and one for the chosen point.
// An item without a front has one row without a bound. Numbers have full precision.
#include <fmt/format.h>

#include "src/base/csv.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_texts.h"

namespace halftone {
namespace {

std::string OptionalText(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

// Of the item, in every row of it.
std::vector<std::string> ItemCells(const FleetRow& row) {
  const FleetResult& result = row.result;
  const bool finished = row.state == RowState::kFinished;
  return {OptionalText(result.reference_s),
          row.has_front ? std::to_string(result.samples) : "",
          row.has_front ? std::to_string(result.measured + result.known) : "",
          row.has_front ? fmt::format("{}", result.search_s) : "",
          finished ? fmt::format("{}", result.seconds) : "",
          finished ? std::to_string(result.attempts) : "",
          row.busy ? "1" : "0",
          row.other_cpu ? "1" : "0",
          result.cpu,
          result.node,
          ReasonText(row)};
}

std::string CsvRow(const FleetRow& row, std::string_view bound, const FleetCell& cell) {
  const bool point = cell.kind == CellKind::kPoint;
  const std::string nearness = point ? OptionalText(cell.nearness) : "";
  std::vector<std::string> cells = {
      row.item.network,
      row.item.kind,
      row.state == RowState::kFinished ? std::string(NameOf(row.result.end)) : StateText(row),
      std::string(bound),
      point ? fmt::format("{}", cell.speed_up) : "",
      point ? fmt::format("{}", cell.speed_up_low) : "",
      point ? fmt::format("{}", cell.speed_up_high) : "",
      row.judge == Judge::kSqnr ? nearness : "",
      row.judge == Judge::kAgreement ? nearness : "",
      cell.folder};
  for (std::string& of_item : ItemCells(row)) {
    cells.push_back(std::move(of_item));
  }
  return CsvLine(cells);
}

}  // namespace

std::string FormatFleetCsv(const FleetReport& report) {
  std::string text =
      "network,kind,state,bound,speed_up,speed_up_low,speed_up_high,sqnr_db,agreement,point,"
      "float32_s,samples,plans,search_s,task_s,attempts,busy,other_cpu,cpu,node,reason\n";
  for (const FleetRow& row : report.rows) {
    if (!row.has_front) {
      text += CsvRow(row, "", {});
      continue;
    }
    const auto bounds = BoundsOf(row.judge);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (row.cells[i].kind != CellKind::kNotDefined) {
        text += CsvRow(row, bounds[i].id, row.cells[i]);
      }
    }
    text += CsvRow(row, kChosenColumn, row.chosen);
  }
  return text;
}

}  // namespace halftone
