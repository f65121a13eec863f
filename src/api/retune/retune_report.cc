// Report of `retune` for the screen, as Markdown and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/api/bank/workload.h"
#include "src/api/retune/retune.h"
#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/report/markdown_text.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNodesShown = 20;

std::string NearnessIn(const Trial& trial) {
  const Measurement* measurement = trial.measurement();
  return measurement == nullptr ? "-" : NearnessOf(measurement->accuracy).mean;
}

// True if all points were judged by agreement when the front was made: the network has no floating
// outputs.
bool ByAgreement(const RetuneResult& result) {
  return !result.points.empty() && std::ranges::all_of(result.points, [](const auto& point) {
    return IsJudgedByAgreement(point.before.measurement()->accuracy);
  });
}

std::string LatencyOf(const Trial& trial) {
  const Measurement* measurement = trial.measurement();
  return measurement == nullptr ? "rejected" : FormatSpeedUp(measurement->latency);
}

std::string LatencyNow(const RetunedPoint& point) {
  return point.measured ? LatencyOf(point.after) : "-";
}

std::string VerdictOf(const RetunedPoint& point) {
  std::vector<std::string> clauses = point.moved;
  if (!point.undecided.empty()) {
    clauses.push_back(point.undecided);
  }
  return clauses.empty() ? "as it was" : Join(clauses, "; ");
}

std::string MetricOf(const RetuneResult& result, const Trial& trial) {
  const Measurement* measurement = trial.measurement();
  const MetricValue* value =
      measurement == nullptr ? nullptr : measurement->accuracy.Find(result.metric->name);
  return value == nullptr ? "-" : FormatMetric(value->name, value->mean);
}

TextTable PointTable(const RetuneResult& result) {
  const bool by_agreement = ByAgreement(result);
  const bool metric = result.metric && !(by_agreement && result.metric->name == "agreement");
  TextTable table{.header = {"point", "speed-up then", "now",
                             by_agreement ? "agreement then" : "SQNR then", "now"},
                  .rows = {}};
  if (metric) {
    table.header.push_back(TitleOfMetric(result.metric->name) + " then");
    table.header.emplace_back("now");
  }
  table.header.emplace_back("what moved");
  table.header.emplace_back("configuration");
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const RetunedPoint& point = result.points[i];
    const bool chosen = result.front.chosen == i;
    std::vector<std::string>& row = table.rows.emplace_back(
        std::vector{fmt::format("{}{}", i + 1, chosen ? "*" : ""), LatencyOf(point.before),
                    LatencyNow(point), NearnessIn(point.before), NearnessIn(point.after)});
    if (metric) {
      row.push_back(MetricOf(result, point.before));
      row.push_back(MetricOf(result, point.after));
    }
    row.push_back(VerdictOf(point));
    row.push_back(Summary(point.after.candidate, *result.words));
  }
  return table;
}

// The shipped point that became slowest; null: the latency of none is known.
const RetunedPoint* MostSlowed(const RetuneResult& result) {
  const RetunedPoint* most = nullptr;
  for (const RetunedPoint& point : result.points) {
    if (point.shipped && point.slowdown && (most == nullptr || *point.slowdown > *most->slowdown)) {
      most = &point;
    }
  }
  return most;
}

// "0.940 ms -> 9.27 ms, 9.86 times as long".
std::string ChangeOfTime(double before_s, double after_s, const std::optional<double>& slowdown) {
  return fmt::format("{} -> {}{}", FormatSeconds(before_s), FormatSeconds(after_s),
                     slowdown ? ", " + TimesAsLong(*slowdown) : "");
}

std::string ChangesLine(const RetuneResult& result) {
  if (!result.changes.empty()) {
    return "changed since: " + Join(result.changes, "; ");
  }
  return result.changed_nodes.empty() ? "nothing that halftone knows of has changed since"
                                      : "conditions are those of then; kernels are not";
}

const Certificate* CertificateOf(const RetuneResult& result) {
  const auto& chosen = result.front.chosen;
  return chosen && *chosen < result.points.size() && result.points[*chosen].certificate
             ? &*result.points[*chosen].certificate
             : nullptr;
}

const PromisedBound* PromisedThen(const RetuneResult& result, const PromisedBound& now) {
  if (result.front.promised) {
    for (const PromisedBound& bound : result.front.promised->bounds) {
      if (bound.name == now.name) {
        return &bound;
      }
    }
  }
  return nullptr;
}

// One for each bound of the shipped point.
std::vector<std::string> PromiseLines(const RetuneResult& result) {
  std::vector<std::string> lines;
  if (const Certificate* certificate = CertificateOf(result)) {
    for (const PromisedBound& now : certificate->bounds) {
      const PromisedBound* then = PromisedThen(result, now);
      lines.push_back(fmt::format("{} {}: {}; then {}", OptionOf(now),
                                  now.holds ? "is promised" : "cannot be promised", now.statement,
                                  then != nullptr ? then->statement : "no promise was recorded"));
    }
  }
  return lines;
}

std::string SearchLine(const TuneSummary& search) {
  return fmt::format("searched: {} measured now, {} known; front of {}",
                     Counted(static_cast<std::int64_t>(search.search.measured), "plan"),
                     search.search.known, Counted(std::ssize(search.front.points), "point"));
}

Json NumberOrNull(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json AccuracyJson(const Accuracy& accuracy) {
  Json metrics = Json::object();
  for (const MetricValue& value : accuracy.metrics) {
    metrics[value.name] = {
        {"mean", value.mean}, {"worst", value.worst}, {"worst_sample", value.worst_sample}};
  }
  return metrics;
}

Json BoundJson(const PromisedBound& bound) {
  return {{"limit", std::isfinite(bound.limit) ? Json(bound.limit) : Json(nullptr)},
          {"holds", bound.holds},
          {"statement", bound.statement}};
}

// Certificate of the shipped point; null where nothing was certified.
Json PromiseJson(const RetuneResult& result) {
  const Certificate* certificate = CertificateOf(result);
  if (certificate == nullptr) {
    return nullptr;
  }
  Json bounds = Json::array();
  for (const PromisedBound& now : certificate->bounds) {
    const PromisedBound* then = PromisedThen(result, now);
    bounds.push_back({{"bound", now.name},
                      {"asked", now.asked},
                      {"share", now.share ? Json(*now.share) : Json(nullptr)},
                      {"before", then != nullptr ? BoundJson(*then) : Json(nullptr)},
                      {"after", BoundJson(now)}});
  }
  return {{"confidence", certificate->confidence},
          {"samples", certificate->samples},
          {"holds", certificate->holds()},
          {"bounds", bounds}};
}

Json MeasurementJson(const Trial& trial) {
  if (const Rejection* rejection = trial.rejection()) {
    return {{"rejection", rejection->reason}};
  }
  const Measurement& measurement = *trial.measurement();
  const Latency& latency = measurement.latency;
  return {{"latency_ratio", latency.ratio},
          {"latency_ratio_interval", {latency.ratio_interval.low, latency.ratio_interval.high}},
          {"median_s", latency.median_s},
          {"reference_median_s", latency.anchor_median_s},
          {"accuracy", AccuracyJson(measurement.accuracy)}};
}

std::vector<std::string> GateLines(const RetuneResult& result) {
  std::vector<std::string> lines;
  for (const GateResult& gate : result.gates) {
    lines.push_back(
        fmt::format("{}, {}", GateLine(gate, gate.passed ? "passed" : "failed"), gate.point));
  }
  return lines;
}

Json GatesJson(const RetuneResult& result) {
  Json gates = Json::array();
  for (const GateResult& gate : result.gates) {
    gates.push_back({{"fail_if", gate.gate.text},
                     {"passed", gate.passed},
                     {"expected", gate.expected},
                     {"found", gate.found},
                     {"point", gate.point}});
  }
  return gates;
}

}  // namespace

std::string HoldsLine(const RetuneResult& result) {
  const std::string_view what =
      result.front.chosen ? "the shipped configuration" : "every point of the front";
  if (result.interrupted) {
    return fmt::format("{} was not judged: {}", what, Join(result.failures, "; "));
  }
  if (result.verdict() == RetuneVerdict::kInconclusive) {
    const bool in_time = std::ranges::none_of(
        result.undecided, [](const std::string& why) { return why.ends_with(kInThisTime); });
    return fmt::format("inconclusive, whether {} still holds is not known: {}; {}", what,
                       Join(result.undecided, "; "),
                       in_time
                           ? "measure again on an idle machine, or longer (HALFTONE_LATENCY_BUDGET)"
                           : "give more time (--budget)");
  }
  return result.holds() ? fmt::format("{} still holds", what)
                        : fmt::format("{} does not hold: {}", what, Join(result.failures, "; "));
}

std::vector<std::string> LatencyLines(const RetuneResult& result) {
  const AnchorChange& anchor = result.anchor;
  std::vector<std::string> lines;
  if (anchor.after_s > 0) {
    lines.push_back(
        AnchorInWords(result.anchor_name) + ": " +
        ChangeOfTime(anchor.before_s, anchor.after_s, anchor.slowdown()) +
        (anchor.moved ? ", which moved outside its interval (the machine, or its kernels)" : ""));
  }
  if (const RetunedPoint* point = MostSlowed(result)) {
    lines.push_back(
        fmt::format("point {}: {} as when it was shipped; {}", point - result.points.data() + 1,
                    ChangeOfTime(point->before.measurement()->latency.median_s,
                                 point->after.measurement()->latency.median_s, point->slowdown),
                    result.max_slowdown ? fmt::format("up to {} times is accepted (--max_slowdown)",
                                                      MaxSlowdownText(result.max_slowdown))
                                        : "any is accepted (--max_slowdown=none)"));
  }
  return lines;
}

std::string OptionOf(const PromisedBound& bound) {
  return fmt::format("--{}={}{}", bound.name, bound.asked,
                     bound.share ? fmt::format("@{:.10g}%", 100 * *bound.share) : "");
}

std::string FormatRetune(const RetuneResult& result, std::size_t columns) {
  std::string text;
  AddLine(text, fmt::format("{} again, {}:", result.model_name, result.front.source));
  AddLine(text, ChangesLine(result));
  text += "\n" + AlignedTable(PointTable(result), columns) + "\n";
  for (const std::string& latency : LatencyLines(result)) {
    AddLine(text, latency);
  }
  for (const std::string& promise : PromiseLines(result)) {
    AddLine(text, promise);
  }
  if (!result.scope.empty()) {
    AddLine(text, result.scope);
  }
  if (result.search) {
    AddLine(text, SearchLine(*result.search));
  }
  for (const std::string& warning : result.warnings) {
    AddLine(text, "warning: " + warning);
  }
  for (const std::string& gate : GateLines(result)) {
    AddLine(text, gate);
  }
  AddLine(text, HoldsLine(result));
  return text;
}

std::string FormatRetuneMarkdown(const RetuneResult& result) {
  std::string text = fmt::format("# {} measured again\n\n**{}.**\n\n",
                                 MarkdownText(result.model_name), MarkdownText(HoldsLine(result)));
  std::vector<std::string> items = {result.front.source, ChangesLine(result)};
  const std::vector<std::string> latencies = LatencyLines(result);
  items.insert(items.end(), latencies.begin(), latencies.end());
  const std::vector<std::string> promises = PromiseLines(result);
  items.insert(items.end(), promises.begin(), promises.end());
  const std::vector<std::string> gates = GateLines(result);
  items.insert(items.end(), gates.begin(), gates.end());
  if (!result.scope.empty()) {
    items.push_back(result.scope);
  }
  for (const std::string& warning : result.warnings) {
    items.push_back("warning: " + warning);
  }
  text += MarkdownList(items) +
          fmt::format("- command: {}, {}\n\n", MarkdownCode(result.command),
                      MarkdownText(result.created_at)) +
          MarkdownTable(PointTable(result));
  text += "\n`*`: the shipped one. Intervals are of 95 %.\n";
  if (!result.changed_nodes.empty()) {
    std::vector<std::string> nodes(result.changed_nodes.begin(), result.changed_nodes.end());
    if (nodes.size() > kMostNodesShown) {
      nodes.resize(kMostNodesShown);
      nodes.push_back(fmt::format("and {} more (retune.json has all)",
                                  result.changed_nodes.size() - kMostNodesShown));
    }
    text += "\n## Operators on other kernels\n\n" + MarkdownList(nodes);
  }
  if (result.search) {
    text += "\n## Searched again\n\n" + SearchLine(*result.search) +
            "\n\nIts front: report.md, front.json and the folders of its points.\n";
  }
  return text;
}

std::string FormatRetuneJson(const RetuneResult& result) {
  Json points = Json::array();
  for (const RetunedPoint& point : result.points) {
    points.push_back(
        {{"configuration", Summary(point.after.candidate, *result.words)},
         {"shipped", point.shipped},
         {"worse", point.worse()},
         {"moved", point.moved},
         {"undecided", point.undecided.empty() ? Json(nullptr) : Json(point.undecided)},
         {"slowdown", NumberOrNull(point.slowdown)},
         {"plan_digest_before", point.before.plan_digest.ToHex()},
         {"plan_digest_after", point.after.plan_digest.ToHex()},
         {"before", MeasurementJson(point.before)},
         {"after", point.measured ? MeasurementJson(point.after) : Json(nullptr)},
         {"heldout_accuracy_after", point.heldout ? AccuracyJson(*point.heldout) : Json(nullptr)}});
  }
  Json search = nullptr;
  if (result.search) {
    search = {{"strategy", result.search->search.strategy},
              {"measured", result.search->search.measured},
              {"known", result.search->search.known},
              {"points", result.search->front.points.size()}};
  }
  const Json document = {
      {"schema_version", kRetuneJsonSchemaVersion},
      {"tool", {{"name", "halftone"}, {"version", Version()}}},
      {"created_at", result.created_at},
      {"command", result.command},
      {"model", {{"name", result.model_name}, {"input_shapes", result.input_shapes}}},
      {"verdict", NameIn(kRetuneVerdicts, result.verdict())},
      {"verdict_sentence", HoldsLine(result)},
      {"holds", result.holds()},
      {"interrupted", result.interrupted},
      {"failures", result.failures},
      {"undecided", result.undecided},
      {"max_slowdown", NumberOrNull(result.max_slowdown)},
      {"latency", LatencyLines(result)},
      {"gates", GatesJson(result)},
      {"front", {{"source", result.front.source}, {"recorded_at", result.front.recorded_at}}},
      {"promise", PromiseJson(result)},
      {"metric", result.metric
                     ? Json{{"name", result.metric->name},
                            {"better", result.metric->higher_is_better ? "higher" : "lower"},
                            {"reference", result.metric->reference}}
                     : Json(nullptr)},
      {"changes", result.changes},
      {"reference",
       {{"before_s", result.anchor.before_s},
        {"after_s", result.anchor.after_s},
        {"moved", result.anchor.moved},
        {"slowdown", NumberOrNull(result.anchor.slowdown())}}},
      {"points", points},
      {"scope", result.scope},
      {"changed_nodes", result.changed_nodes},
      {"search", search},
      {"warnings", result.warnings}};
  return PrintableJson(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace halftone
