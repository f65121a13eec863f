#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/printable.h"
#include "src/report/details_json.h"
#include "src/report/formats.h"
#include "src/report/point_difference.h"
#include "src/report/rejected_groups.h"
#include "src/report/report_tables.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

// With the time of each phase in runs of float32, where the time of one is known.
Json PhasesJson(const TuneSummary& summary) {
  const double run_s = summary.search.plan.run_s;
  Json phases = Json::array();
  for (const PhaseTime& time : summary.phases) {
    Json& phase =
        phases.emplace_back(Json{{"phase", NameOf(time.phase)}, {"seconds", time.seconds}});
    if (run_s > 0) {
      phase["runs"] = time.seconds / run_s;
    }
  }
  return phases;
}

Json OptionalNumber(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json AccuracyJson(const Accuracy& accuracy) {
  Json json = Json::object();
  for (const MetricValue& value : accuracy.metrics) {
    const std::optional<Interval> interval = MeanInterval(value);
    json[value.name] = {
        {"mean", value.mean},
        {"mean_interval", interval ? Json({interval->low, interval->high}) : Json()},
        {"worst", value.worst},
        {"worst_sample", value.worst_sample},
        {"worst_sample_name", value.worst_sample_name}};
  }
  return json;
}

Json ConstraintsJson(const Constraints& constraints) {
  Json json;
  for (const BoundRow& row : AllBounds()) {
    json[std::string(row.name)] = OptionalNumber(constraints.*row.value);
    if (row.share != nullptr) {
      json[std::string(row.name) + "_share"] = OptionalNumber(constraints.*row.share);
    }
  }
  return json;
}

Json OutcomeJson(const TuneSummary& summary) {
  const Verdict& verdict = summary.outcome.verdict;
  Json bounds = Json::array();
  for (const BoundVerdict& bound : verdict.bounds) {
    bounds.push_back({{"bound", bound.name},
                      {"demand", bound.demand},
                      {"verdict", NameOf(bound.kind)},
                      {"found", bound.sentence}});
  }
  Json refused = Json::array();
  for (const RefusedPoint& point : verdict.refused) {
    refused.push_back({{"point", point.point + 1}, {"reason", point.reason}});
  }
  return {{"end", NameOf(summary.outcome.end)},
          {"verdict_kind", NameOf(verdict.kind)},
          {"satisfied", verdict.satisfied},
          {"verdict", verdict.sentence},
          {"bounds", bounds},
          {"refused", refused}};
}

Json FlipsJson(const std::optional<Top1Flips>& flips) {
  if (!flips) {
    return nullptr;
  }
  return {{"rows", flips->rows},         {"flipped", flips->flipped},
          {"labelled", flips->labelled}, {"lost", flips->lost},
          {"won", flips->won},           {"mcnemar_p", OptionalNumber(flips->McNemarP())}};
}

Json MachineJson(const TuneSummary& summary) {
  const MachineFacts& facts = summary.machine.facts;
  return {{"cores", facts.cores},
          {"governor", facts.governor},
          {"mhz", OptionalNumber(facts.mhz)},
          {"most_mhz", OptionalNumber(facts.most_mhz)},
          {"load_average", OptionalNumber(facts.load_average)},
          {"other_cores", OptionalNumber(summary.machine.other_cores)}};
}

Json ModesJson(const std::map<std::string, ImplMode>& modes) {
  Json json = Json::object();
  for (const auto& [name, mode] : modes) {
    json[name] = NameOf(mode);
  }
  return json;
}

Json OptionsJson(const PrecisionOptions& options) {
  Json json = {{"precision_mode", options.precision_mode}, {"keep_dtype", options.keep_dtype}};
  if (options.op_precision_given) {
    json["op_precision_mode"] = {{"ByOpType", ModesJson(options.impl_mode_by_type)},
                                 {"ByNodeName", ModesJson(options.impl_mode_by_node)}};
  }
  if (!options.node_formats.empty()) {
    json["node_formats"] = options.node_formats;
  }
  return json;
}

Json OverflowJson(const OverflowCensus& census) {
  Json nodes = Json::array();
  for (const OverflowFinding& finding : census.findings) {
    nodes.push_back({{"node", finding.node},
                     {"op", finding.op},
                     {"output", finding.output},
                     {"dtype", NameOf(finding.dtype)},
                     {"saturated", finding.saturated},
                     {"in_float32_too", finding.in_float32_too},
                     {"infinities", finding.infinities},
                     {"nans", finding.nans},
                     {"samples", finding.samples},
                     {"first",
                      {{"sample", finding.first_sample},
                       {"sample_name", finding.first_sample_name},
                       {"element", finding.first_element},
                       {"value", finding.first_value}}}});
  }
  return {{"status", census.status}, {"samples", census.samples}, {"nodes", nodes}};
}

// Limits that are not finite, of too few samples, become null.
Json CertificateJson(const Certificate& certificate) {
  Json bounds = Json::array();
  for (const PromisedBound& bound : certificate.bounds) {
    bounds.push_back({{"bound", bound.name},
                      {"asked", bound.asked},
                      {"share", OptionalNumber(bound.share)},
                      {"limit", std::isfinite(bound.limit) ? Json(bound.limit) : Json(nullptr)},
                      {"holds", bound.holds},
                      {"statement", bound.statement}});
  }
  return {{"confidence", certificate.confidence},
          {"samples", certificate.samples},
          {"holds", certificate.holds()},
          {"bounds", bounds}};
}

// In the order of model.shapes.
Json ByShapeJson(const std::vector<ShapeMeasurement>& shapes) {
  Json array = Json::array();
  for (const auto& [latency, accuracy] : shapes) {
    array.push_back(
        {{"latency_ratio", latency.ratio},
         {"latency_ratio_interval", {latency.ratio_interval.low, latency.ratio_interval.high}},
         {"median_s", latency.median_s},
         {"reference_median_s", latency.anchor_median_s},
         {"accuracy", AccuracyJson(accuracy)}});
  }
  return array;
}

Json ShapesJson(const std::vector<ShapeFacts>& shapes) {
  Json array = Json::array();
  for (const ShapeFacts& shape : shapes) {
    array.push_back({{"input_shapes", shape.input_shapes},
                     {"weight", shape.weight},
                     {"samples", shape.sample_count}});
  }
  return array;
}

Json PointJson(const FrontPoint& point, bool chosen, const std::string& difference) {
  const Measurement& measurement = point.measurement();
  const Latency& latency = measurement.latency;
  const Interval speed_up = latency.speed_up_interval();
  Json arguments = Json::array();
  for (const Argument& argument : point.arguments) {
    arguments.push_back(argument.option + "=" + argument.value);
  }
  Json json = {
      {"options", OptionsJson(point.trial.candidate.options)},
      {"arguments", arguments},
      {"folder", point.folder},
      {"plan_digest", point.trial.plan_digest.ToHex()},
      {"chosen", chosen},
      {"difference_from_previous", difference},
      {"predicted",
       point.predicted ? ObjectivesJson(*point.predicted, IsJudgedByAgreement(measurement.accuracy))
                       : Json(nullptr)},
      {"confirmed", measurement.confirmed},
      {"speed_up", latency.speed_up()},
      {"speed_up_interval", {speed_up.low, speed_up.high}},
      {"latency_ratio", latency.ratio},
      {"latency_ratio_interval", {latency.ratio_interval.low, latency.ratio_interval.high}},
      {"median_s", latency.median_s},
      {"reference_median_s", latency.anchor_median_s},
      {"rounds", latency.candidate_samples_s.size()},
      {"peak_arena_bytes", measurement.peak_arena_bytes},
      {"scaled_share", point.scaled_share},
      {"accuracy", AccuracyJson(measurement.accuracy)},
      {"top1_flips", FlipsJson(measurement.accuracy.flips)},
      {"overflow", OverflowJson(measurement.overflow)},
      {"heldout_accuracy", point.heldout ? AccuracyJson(*point.heldout) : Json(nullptr)},
      {"certificate", point.certificate ? CertificateJson(*point.certificate) : Json(nullptr)},
      {"as_float32", point.as_float32},
      {"kept_nodes", point.trial.kept_nodes},
      {"low_precision_nodes", point.trial.low_precision_nodes}};
  if (const auto& run = measurement.runtime) {
    json["runtime"] = {{"low_asked", run->low_asked}, {"low_ran", run->low_ran},
                       {"as_asked", run->as_asked},   {"own_outputs", run->own_outputs},
                       {"detail", run->detail},       {"build_s", run->build_s}};
  }
  if (!point.by_shape.empty()) {
    json["by_shape"] = ByShapeJson(point.by_shape);
  }
  if (!point.not_expressible.empty()) {
    json["not_expressible"] = point.not_expressible;
  }
  return json;
}

Json AlternativesJson(const std::vector<AlternativeSet>& alternatives) {
  Json array = Json::array();
  for (const AlternativeSet& set : alternatives) {
    array.push_back(
        {{"lowered", set.lowered},
         {"kept", set.kept},
         {"predicted",
          {{"latency_ratio", set.predicted.latency_ratio}, {"loss", set.predicted.loss}}}});
  }
  return array;
}

Json KeptJson(const std::vector<KeptOperator>& operators) {
  Json array = Json::array();
  for (const KeptOperator& kept : operators) {
    Json object = {{"node", kept.node},
                   {"choice", kept.choice},
                   {"largest_value", kept.largest_value},
                   {"cause", kept.cause},
                   {"evidence", kept.evidence}};
    if (kept.refusal.empty()) {
      object["local_sqnr_db"] = kept.local_sqnr_db;
      object["sqnr_db"] = kept.sqnr_db;
      object["saved_time"] = kept.saved_time;
    } else {
      object["refusal"] = kept.refusal;
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json GatesJson(const TuneSummary& summary) {
  Json array = Json::array();
  for (const GateResult& result : summary.outcome.gates) {
    array.push_back({{"fail_if", result.gate.text},
                     {"passed", result.passed},
                     {"expected", result.expected},
                     {"found", result.found}});
  }
  return array;
}

// Null where they are not known.
Json KernelsJson(const TuneSummary& summary) {
  return summary.kernels.empty() ? Json(nullptr) : Json(summary.kernels);
}

}  // namespace

std::string FormatFrontJson(const TuneSummary& summary) {
  const std::vector<std::string> differences = DifferencesAlong(summary);
  Json front = Json::array();
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    front.push_back(PointJson(summary.front.points[i], summary.front.chosen == i, differences[i]));
  }
  Json rejected = Json::array();
  for (const RejectedGroup& group : RejectedGroups(summary.search.rejected)) {
    rejected.push_back({{"configurations", group.configurations},
                        {"summary", group.summary},
                        {"reason", group.reason}});
  }
  Json json = {{"schema_version", kFrontJsonSchemaVersion},
               {"tool",
                {{"name", "halftone"},
                 {"version", summary.run.tool_version},
                 {"compiler", summary.run.compiler}}},
               {"created_at", summary.run.created_at},
               {"command", summary.run.command},
               {"model",
                {{"name", summary.run.model_name},
                 {"path", summary.run.model_path},
                 {"hash", summary.run.model_hash.ToHex()},
                 {"input_shapes", summary.run.input_shapes},
                 {"shapes", ShapesJson(summary.run.shapes)},
                 {"nodes", summary.run.node_count}}},
               {"target",
                {{"soc_version", summary.run.target},
                 {"latency_measured_on", NameOfLatencySource(summary.run)},
                 {"cost_model", summary.run.cost_model},
                 {"cpu", summary.run.cpu},
                 {"cpu_isa", summary.run.cpu_isa},
                 {"isa", summary.run.isa},
                 {"threads", summary.run.threads}}},
               {"machine", MachineJson(summary)},
               {"data",
                {{"inputs", summary.run.inputs},
                 {"samples", summary.run.sample_count},
                 {"heldout_samples", summary.run.heldout_count},
                 {"representative", summary.run.representative}}},
               {"reference",
                {{"anchor", summary.run.anchor},
                 {"latency_s", summary.reference.latency_s},
                 {"peak_arena_bytes", summary.reference.arena_bytes},
                 {"top1", OptionalNumber(summary.reference.top1)},
                 {"heldout_top1", OptionalNumber(summary.reference.heldout_top1())}}},
               {"search",
                {{"strategy", summary.search.strategy},
                 {"seed", summary.run.seed},
                 {"space", summary.run.space},
                 {"distinct_plans", summary.search.distinct_plans},
                 {"measured", summary.search.measured},
                 {"known", summary.search.known},
                 {"stop_reason", summary.search.stop_reason},
                 {"elapsed_s", summary.elapsed_s},
                 {"budget_s", OptionalNumber(summary.budget_s)},
                 {"phases", PhasesJson(summary)}}},
               {"constraints", ConstraintsJson(summary.constraints)},
               {"confidence", OptionalNumber(summary.confidence)},
               {"outcome", OutcomeJson(summary)},
               {"gates", GatesJson(summary)},
               {"front", front},
               {"rejected", rejected},
               {"kernels", KernelsJson(summary)},
               {"warnings", WarningsOnce(summary)}};
  if (summary.reference.metric) {
    json["metric"] = {
        {"name", summary.reference.metric->name},
        {"better", summary.reference.metric->higher_is_better ? "higher" : "lower"},
        {"reference", summary.reference.metric->reference},
        {"heldout_reference", OptionalNumber(summary.reference.metric->heldout_reference)}};
  }
  if (summary.insight.probes) {
    json["probes"] = {{"groups", summary.insight.probes->groups},
                      {"samples", summary.insight.probes->samples},
                      {"evaluations", summary.insight.probes->evaluations},
                      {"predictions", summary.insight.probes->predictions},
                      {"loss_off_db", summary.insight.probes->loss_off_db},
                      {"latency_off", summary.insight.probes->latency_off}};
    json["kept"] = KeptJson(summary.insight.kept);
    json["alternatives"] = AlternativesJson(summary.insight.alternatives);
  }
  if (summary.insight.details) {
    AddDetails(*summary.insight.details, summary.front.described(), json);
  }
  if (summary.insight.calibration) {
    AddQuantization(*summary.insight.calibration, json);
  }
  // Names come from the model and may not be UTF-8: replaced rather than refused.
  return PrintableJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace halftone
