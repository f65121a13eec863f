#include "src/fleet/report/report_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

std::string SpeedText(const FleetCell& cell) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", cell.speed_up, cell.speed_up_low,
                     cell.speed_up_high);
}

// Text of a cell without a point; "" for one that has a point.
std::string EmptyCellText(const FleetCell& cell) {
  switch (cell.kind) {
    case CellKind::kNoFront:
      return {};
    case CellKind::kNotDefined:
      return "no classes";
    case CellKind::kNone:
      return "-";
    case CellKind::kPoint:
      return {};
  }
  return {};
}

}  // namespace

std::string CountsSentence(const FleetCounts& counts) {
  const std::int64_t finished = counts.items - counts.not_finished - counts.damaged;
  std::string text =
      fmt::format("{} of {} finished: {} done, {} not meeting their goal, {} failed", finished,
                  Counted(counts.items, "item"), counts.good, counts.not_met, counts.failed);
  text += counts.damaged > 0 ? fmt::format("; {} with a damaged result", counts.damaged) : "";
  text += counts.not_finished > 0 ? fmt::format("; {} not finished", counts.not_finished) : "";
  return text;
}

std::string StateText(const FleetRow& row) {
  if (row.state != RowState::kFinished) {
    return row.state == RowState::kDamaged ? "damaged" : "not finished";
  }
  return fmt::format("{}{}{}{}", NameOf(row.result.end),
                     IsGood(row.result.end) && !row.has_front ? ", no front" : "",
                     row.busy ? ", busy" : "", row.other_cpu ? ", other CPU" : "");
}

std::string CellText(const FleetCell& cell, Judge judge) {
  if (cell.kind != CellKind::kPoint) {
    return EmptyCellText(cell);
  }
  const std::string nearness = NearnessText(cell, judge);
  return SpeedText(cell) + (nearness.empty() ? "" : fmt::format(" ({})", nearness));
}

std::string NearnessText(const FleetCell& cell, Judge judge) {
  if (!cell.nearness) {
    return {};
  }
  if (judge == Judge::kAgreement) {
    return FormatMetric(MetricOf(judge), *cell.nearness);
  }
  // Whole decibels: samples of another day move more.
  const std::string exact = FormatSqnr(*cell.nearness);
  return exact.ends_with(" dB")
             ? fmt::format("{:.0f} dB", std::round(std::min(*cell.nearness, 199.0)) + 0.0)
             : exact;
}

std::string ResultUrl(const FleetItem& item) {
  std::string url;
  for (const char c : fmt::format("results/{}/{}/report.html", item.kind, item.network)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

std::string ReasonText(const FleetRow& row) {
  if (row.state == RowState::kDamaged) {
    return row.damage;
  }
  if (row.state == RowState::kNotFinished || IsGood(row.result.end)) {
    return {};
  }
  return row.result.reason.empty() ? fmt::format("exit code {}", row.result.exit_code)
                                   : row.result.reason;
}

std::vector<const FleetRow*> BadRows(const FleetReport& report) {
  std::vector<const FleetRow*> bad;
  for (const FleetRow& row : report.rows) {
    if (!ReasonText(row).empty()) {
      bad.push_back(&row);
    }
  }
  std::ranges::stable_sort(bad, {}, [](const FleetRow* row) { return row->has_front; });
  return bad;
}

std::string MoveCounts(const FleetReport& report) {
  std::map<MoveKind, std::size_t> counts;
  for (const FleetMove& move : report.moves) {
    ++counts[move.kinds.front()];
  }
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [kind, count] : counts) {
    texts.push_back(fmt::format("{} {}", count, NameOf(kind)));
  }
  return Join(texts, ", ");
}

std::string MoveText(const FleetMove& move) {
  std::vector<std::string> names;
  for (const MoveKind kind : move.kinds) {
    names.emplace_back(NameOf(kind));
  }
  return Join(names, ", ");
}

}  // namespace halftone
