// report.json of a fleet, as docs/reference/fleet_report.schema.json says. An item and a move stand
// on a line each: 20,000 of them stay small and can be searched.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/printable.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_texts.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

Json NumberOrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

// Null where there is no point.
Json CellJson(const FleetCell& cell, Judge judge) {
  if (cell.kind != CellKind::kPoint) {
    return nullptr;
  }
  return {{"speed_up", cell.speed_up},
          {"speed_up_interval", {cell.speed_up_low, cell.speed_up_high}},
          {std::string(MetricOf(judge)), NumberOrNull(cell.nearness)},
          {"point", cell.folder}};
}

Json BoundsJson(const FleetRow& row) {
  Json json = Json::object();
  const auto bounds = BoundsOf(row.judge);
  for (std::size_t i = 0; row.has_front && i < bounds.size(); ++i) {
    if (row.cells[i].kind != CellKind::kNotDefined) {
      json[std::string(bounds[i].id)] = CellJson(row.cells[i], row.judge);
    }
  }
  return json;
}

Json FleetItemJson(const FleetRow& row) {
  const FleetResult& result = row.result;
  Json json = {{"network", row.item.network},
               {"kind", row.item.kind},
               {"state", row.state == RowState::kFinished ? std::string(NameOf(result.end))
                                                          : StateText(row)},
               {"reason", ReasonText(row)}};
  if (row.state != RowState::kFinished) {
    return json;
  }
  json.update({{"exit_code", result.exit_code},
               {"attempts", result.attempts},
               {"node", result.node},
               {"begin", result.begin},
               {"task_s", result.seconds}});
  if (!result.retune_verdict.empty()) {
    json["retune_verdict"] = result.retune_verdict;
  }
  if (!row.has_front) {
    return json;
  }
  json.update({{"cpu", result.cpu},
               {"isa", result.isa},
               {"target", result.target},
               {"busy", row.busy},
               {"other_cpu", row.other_cpu},
               {"float32_s", NumberOrNull(result.reference_s)},
               {"samples", result.samples},
               {"plans", result.measured + result.known},
               {"search_s", result.search_s},
               {"judged_by", MetricOf(row.judge)},
               {"bounds", BoundsJson(row)},
               {"chosen", CellJson(row.chosen, row.judge)},
               {"report", ResultUrl(row.item)}});
  return json;
}

Json MoveJson(const FleetMove& move) {
  Json verdicts = Json::array();
  for (const MoveKind kind : move.kinds) {
    verdicts.push_back(NameOf(kind));
  }
  return {{"network", move.item.network},
          {"kind", move.item.kind},
          {"verdicts", verdicts},
          {"before", CellJson(move.before, move.judge)},
          {"now", CellJson(move.now, move.judge)},
          {"note", move.note}};
}

Json CountsJson(const FleetCounts& counts) {
  return {{"items", counts.items},     {"done", counts.good},
          {"not_met", counts.not_met}, {"failed", counts.failed},
          {"damaged", counts.damaged}, {"not_finished", counts.not_finished},
          {"busy", counts.busy},       {"task_s", counts.seconds}};
}

Json KindsJson(const FleetReport& report) {
  Json array = Json::array();
  for (const FleetKindRow& kind : report.kinds) {
    array.push_back({{"name", kind.name},
                     {"counts", CountsJson(kind.counts)},
                     {"cpus", kind.cpus},
                     {"isas", kind.isas},
                     {"targets", kind.targets}});
  }
  return array;
}

Json MeanOfBoundJson(const BoundMean& mean) {
  return {{"speed_up", mean.networks > 0 ? Json(mean.speed_up) : Json(nullptr)},
          {"networks", mean.networks},
          {"kept", mean.kept}};
}

Json MeansJson(const FleetReport& report) {
  Json array = Json::array();
  for (const MeanRow& row : report.means) {
    Json bounds = Json::object();
    const auto known = BoundsOf(row.judge);
    for (std::size_t i = 0; i < known.size(); ++i) {
      bounds[std::string(known[i].id)] = MeanOfBoundJson(row.bounds[i]);
    }
    array.push_back({{"networks_of", row.scope},
                     {"done_on_every_kind", row.of_common},
                     {"judged_by", MetricOf(row.judge)},
                     {"bounds", bounds},
                     {"chosen", MeanOfBoundJson(row.chosen)}});
  }
  return array;
}

Json MeaningsJson() {
  Json array = Json::array();
  for (const Judge judge : {Judge::kSqnr, Judge::kAgreement}) {
    for (const FleetBound& bound : BoundsOf(judge)) {
      array.push_back({{"id", bound.id},
                       {"heading", bound.heading},
                       {"meaning", bound.meaning},
                       {"judged_by", MetricOf(judge)}});
    }
  }
  return array;
}

// Names may not be UTF-8: replaced rather than refused.
std::string Dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "[", an element a line, "]".
template <typename Element>
std::string LinesOf(const std::vector<Element>& elements, Json (*to_json)(const Element&)) {
  std::string text = "[";
  for (const Element& element : elements) {
    text += (text.size() > 1 ? ",\n" : "\n") + Dumped(to_json(element));
  }
  return text + "]";
}

}  // namespace

std::string FormatFleetJson(const FleetReport& report) {
  const FleetReportFacts& facts = report.facts;
  const std::pair<std::string_view, std::string> members[] = {
      {"format", std::to_string(kFleetReportFormat)},
      {"tool", Dumped({{"name", "halftone"}, {"version", facts.tool_version}})},
      {"created_at", Dumped(facts.created_at)},
      {"fleet", Dumped(facts.name)},
      {"round", std::to_string(facts.round)},
      {"task", Dumped(NameOf(report.task))},
      {"compared_with", report.compared ? Dumped(facts.before) : "null"},
      {"counts", Dumped(CountsJson(report.counts))},
      {"kinds", Dumped(KindsJson(report))},
      {"bounds", Dumped(MeaningsJson())},
      {"means", Dumped(MeansJson(report))},
      {"moves", LinesOf(report.moves, MoveJson)},
      {"items", LinesOf(report.rows, FleetItemJson)}};
  std::string text = "{";
  for (const auto& [name, value] : members) {
    text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ",\n" : "\n", name, value);
  }
  return PrintableJson(text + "\n}") + "\n";
}

}  // namespace halftone
