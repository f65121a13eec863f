#include "src/report/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"
#include "src/base/number_pair.h"
#include "src/base/numbers.h"
#include "src/base/text.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

constexpr std::string_view kWorst = "_worst";
constexpr std::string_view kTop1Drop = "top1_drop";
constexpr std::string_view kOwnMetric = "metric";
constexpr std::string_view kOwnMetricDrop = "metric_drop";

struct ComparisonRow {
  GateComparison comparison;
  std::string_view sign;
  std::string_view passes;  // what a value that passes is
  bool (*fails)(double value, double limit);
};

// Longer signs first.
constexpr ComparisonRow kComparisons[] = {
    {GateComparison::kAtMost, "<=", "above", [](double a, double b) { return a <= b; }},
    {GateComparison::kAtLeast, ">=", "below", [](double a, double b) { return a >= b; }},
    {GateComparison::kLess, "<", "of at least", [](double a, double b) { return a < b; }},
    {GateComparison::kMore, ">", "of at most", [](double a, double b) { return a > b; }},
};

const ComparisonRow& RowOf(GateComparison comparison) {
  for (const ComparisonRow& row : kComparisons) {
    if (row.comparison == comparison) {
      return row;
    }
  }
  throw Error(ErrorKind::kInternal, "a comparison of gates has no row");
}

// The samples that an accuracy is of, and what float32 has on them.
struct JudgedAccuracy {
  const Accuracy* accuracy = nullptr;
  std::optional<double> reference_top1;
  std::optional<double> reference_metric;
};

struct QuantityRow {
  std::string_view name;
  bool of_accuracy;
  std::optional<double> (*value)(const GatedPoint& point, const JudgedAccuracy& judged);
};

std::optional<double> Top1Drop(const GatedPoint& /*point*/, const JudgedAccuracy& judged) {
  const MetricValue* top1 = judged.accuracy->Find("top1");
  if (top1 != nullptr && judged.reference_top1) {
    return *judged.reference_top1 - top1->mean;
  }
  const MetricValue* agreement = judged.accuracy->Find("top1_agreement");
  return agreement != nullptr ? std::optional(1 - agreement->mean) : std::nullopt;
}

std::optional<double> OwnMetric(const GatedPoint& point, const JudgedAccuracy& judged) {
  const MetricValue* value =
      point.metric != nullptr ? judged.accuracy->Find(point.metric->name) : nullptr;
  return value != nullptr ? std::optional(value->mean) : std::nullopt;
}

std::optional<double> OwnMetricDrop(const GatedPoint& point, const JudgedAccuracy& judged) {
  const std::optional<double> value = OwnMetric(point, judged);
  if (!value || !judged.reference_metric) {
    return std::nullopt;
  }
  return point.metric->higher_is_better ? *judged.reference_metric - *value
                                        : *value - *judged.reference_metric;
}

// Quantities of a gate besides the metrics.
constexpr QuantityRow kQuantities[] = {
    {"latency_ratio", false,
     [](const GatedPoint& point, const JudgedAccuracy&) {
       return std::optional(point.measurement->latency.ratio);
     }},
    {"speed_up", false,
     [](const GatedPoint& point, const JudgedAccuracy&) {
       return std::optional(point.measurement->latency.speed_up());
     }},
    {"latency_ms", false,
     [](const GatedPoint& point, const JudgedAccuracy&) {
       const double median_s = point.measurement->latency.median_s;
       return median_s > 0 ? std::optional(1e3 * median_s) : std::nullopt;
     }},
    {"peak_arena_bytes", false,
     [](const GatedPoint& point, const JudgedAccuracy&) {
       return std::optional(static_cast<double>(point.measurement->peak_arena_bytes));
     }},
    {kTop1Drop, true, Top1Drop},
    {kOwnMetric, true, OwnMetric},
    {kOwnMetricDrop, true, OwnMetricDrop},
};

const QuantityRow* FindQuantity(std::string_view name) {
  const auto* const row = std::ranges::find(kQuantities, name, &QuantityRow::name);
  return row == std::end(kQuantities) ? nullptr : row;
}

// Whose accuracy a gate is on.
enum class Source : std::uint8_t { kBest, kSearch, kHeldout, kPromise };

struct SourceRow {
  Source source;
  std::string_view prefix;
};

constexpr SourceRow kSources[] = {
    {Source::kSearch, "search_"},
    {Source::kHeldout, "heldout_"},
    {Source::kPromise, "promised_"},
};

struct Quantity {
  Source source = Source::kBest;
  std::string_view name;  // without the prefix
};

Quantity QuantityOf(std::string_view text) {
  for (const SourceRow& row : kSources) {
    if (text.starts_with(row.prefix)) {
      return {row.source, text.substr(row.prefix.size())};
    }
  }
  return {Source::kBest, text};
}

std::string_view MetricOf(std::string_view name) {
  return name.ends_with(kWorst) ? name.substr(0, name.size() - kWorst.size()) : name;
}

// What a bound is of: "sqnr_db" of min_sqnr_db.
std::string_view SubjectOf(std::string_view bound) {
  return bound.substr(std::string_view("min_").size());
}

// The bound whose limit is promised under this name; null: there is none.
const BoundRow* BoundOf(std::string_view name) {
  const auto bounds = AllBounds();
  const auto row = std::ranges::find_if(
      bounds, [&](const BoundRow& bound) { return SubjectOf(bound.name) == name; });
  return row == bounds.end() ? nullptr : &*row;
}

// Every name that a gate may have.
std::vector<std::string> AllNames() {
  std::vector<std::string> names = GateQuantities();
  for (const std::string& name : GateQuantities()) {
    const QuantityRow* row = FindQuantity(name);
    if (row == nullptr || row->of_accuracy) {
      names.push_back("heldout_" + name);
      names.push_back("search_" + name);
    }
  }
  for (const BoundRow& row : AllBounds()) {
    names.push_back(fmt::format("promised_{}", SubjectOf(row.name)));
  }
  return names;
}

std::optional<double> ValueOf(std::string_view name, const GatedPoint& point,
                              const JudgedAccuracy& judged) {
  if (const QuantityRow* row = FindQuantity(name)) {
    return row->value(point, judged);
  }
  const MetricValue* metric = judged.accuracy->Find(MetricOf(name));
  if (metric == nullptr) {
    return std::nullopt;
  }
  return name.ends_with(kWorst) ? metric->worst : metric->mean;
}

[[noreturn]] void Refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("--fail_if={}: {}", Shown(text), why));
}

void CheckQuantity(std::string_view text, const std::string& name) {
  const std::vector<std::string> names = AllNames();
  if (std::ranges::find(names, name) != names.end()) {
    return;
  }
  const std::vector<std::string> closest = ClosestNames(name, names);
  Refuse(text,
         fmt::format("'{}' is no quantity{}; expected one of {}; those of accuracy also with "
                     "heldout_ or search_ before them, and promised_ before what a bound is of",
                     Shown(name),
                     closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest[0]),
                     Join(GateQuantities(), ", ")));
}

constexpr double kHuge = std::numeric_limits<double>::max();

double LimitOf(std::string_view text, std::string_view number) {
  const std::optional<double> limit = FiniteNumber(number);
  if (!limit) {
    const bool has_unit = text.find("_db") < text.size() || text.starts_with("metric");
    Refuse(text, fmt::format("expected a number behind the comparison, found '{}'{}", Shown(number),
                             PercentHint(number, {-kHuge, kHuge, false, !has_unit})));
  }
  return *limit;
}

// Where the value of a gate comes from: " on held-out samples".
struct Found {
  std::optional<double> value;
  std::string where;
};

Found PromisedLimit(std::string_view name, const GatedPoint& point) {
  if (BoundOf(name) != nullptr && point.certificate != nullptr) {
    for (const PromisedBound& bound : point.certificate->bounds) {
      if (SubjectOf(bound.name) == name) {
        return {bound.limit, fmt::format(" promised with {:g} % confidence",
                                         100 * point.certificate->confidence)};
      }
    }
  }
  return {std::nullopt, ": nothing is promised of it"};
}

Found FindValue(const Quantity& quantity, const GatedPoint& point) {
  if (quantity.source == Source::kPromise) {
    return PromisedLimit(quantity.name, point);
  }
  const QuantityRow* row = FindQuantity(quantity.name);
  const bool of_accuracy = row == nullptr || row->of_accuracy;
  const bool heldout =
      of_accuracy && (quantity.source == Source::kHeldout ||
                      (quantity.source == Source::kBest && point.heldout != nullptr));
  JudgedAccuracy judged{.accuracy = &point.measurement->accuracy,
                        .reference_top1 = point.reference_top1,
                        .reference_metric = point.metric != nullptr
                                                ? std::optional(point.metric->reference)
                                                : std::nullopt};
  if (heldout) {
    if (point.heldout == nullptr) {
      return {std::nullopt, ": there are no held-out samples"};
    }
    judged = {.accuracy = point.heldout,
              .reference_top1 = point.heldout_top1,
              .reference_metric =
                  point.metric != nullptr ? point.metric->heldout_reference : std::nullopt};
  }
  const std::string_view where = heldout ? " on held-out samples" : "";
  const auto value = ValueOf(quantity.name, point, judged);
  return {value,
          value ? std::string(where) : fmt::format(": there is no {}{}", quantity.name, where)};
}

GateResult Failed(const Gate& gate, std::string_view found) {
  return {
      .gate = gate,
      .passed = false,
      .expected = fmt::format("{} {} {}", gate.quantity, RowOf(gate.comparison).passes, gate.limit),
      .found = std::string(found),
      .point = {}};
}

GateResult Judge(const Gate& gate, const GatedPoint& point) {
  GateResult result = Failed(gate, "none: the point cannot run");
  result.point = point.name;
  if (point.measurement == nullptr) {
    return result;
  }
  const Quantity quantity = QuantityOf(gate.quantity);
  const Found found = FindValue(quantity, point);
  if (!found.value) {
    result.found = "none" + found.where;
    return result;
  }
  result.passed = !RowOf(gate.comparison).fails(*found.value, gate.limit);
  if (quantity.source == Source::kPromise && !std::isfinite(*found.value)) {
    result.found = "nothing that so few held-out samples can promise";
    return result;
  }
  const std::string_view word = WordOfValue(MetricOf(quantity.name), *found.value);
  result.found = !word.empty() ? fmt::format("{}{}", word, found.where)
                               : SignificantPair(*found.value, gate.limit, 6).a + found.where;
  return result;
}

}  // namespace

std::vector<std::string> GateQuantities() {
  std::vector<std::string> names;
  for (const QuantityRow& row : kQuantities) {
    names.emplace_back(row.name);
  }
  for (const MetricRow& metric : AllMetrics()) {
    names.emplace_back(metric.name);
    names.push_back(fmt::format("{}{}", metric.name, kWorst));
  }
  return names;
}

std::string GateLine(const GateResult& result, std::string_view state) {
  return fmt::format("gate {}: {}; expected {}, found {}", Printable(result.gate.text), state,
                     Printable(result.expected), Printable(result.found));
}

Gate ParseGate(std::string_view text) {
  for (const ComparisonRow& row : kComparisons) {
    const auto at = text.find(row.sign);
    if (at == std::string_view::npos) {
      continue;
    }
    Gate gate{.text = std::string(Trim(text)),
              .quantity = std::string(Trim(text.substr(0, at))),
              .comparison = row.comparison,
              .limit = 0};
    CheckQuantity(text, gate.quantity);
    gate.limit = LimitOf(text, Trim(text.substr(at + row.sign.size())));
    return gate;
  }
  Refuse(text,
         "expected NAME<NUMBER, NAME<=NUMBER, NAME>NUMBER or NAME>=NUMBER, for example sqnr_db<40");
}

void CheckGates(std::span<const Gate> gates, const GateFacts& facts) {
  for (const Gate& gate : gates) {
    const Quantity quantity = QuantityOf(gate.quantity);
    if (quantity.source == Source::kPromise) {
      const BoundRow* row = BoundOf(quantity.name);
      if (facts.constraints != nullptr && row != nullptr && !(facts.constraints->*row->value)) {
        Refuse(gate.text, fmt::format("limits are promised of bounds; add --{}", row->name));
      }
      continue;
    }
    const MetricRow* metric = FindMetric(MetricOf(quantity.name));
    if (metric != nullptr && metric->needs_labels && !facts.has_labels) {
      Refuse(gate.text,
             fmt::format("{} needs labels, and none are given; add --labels", metric->name));
    }
    if (quantity.name.starts_with(kOwnMetric) && !facts.has_metric) {
      Refuse(gate.text,
             fmt::format("{} is that of --metric, and none is given; add it", quantity.name));
    }
  }
}

void CheckGateOutputs(std::span<const Gate> gates, const Graph& graph) {
  for (const Gate& gate : gates) {
    const std::string_view name = QuantityOf(gate.quantity).name;
    const MetricRow* metric = FindMetric(name == kTop1Drop ? "top1_agreement" : MetricOf(name));
    if (const auto why = metric != nullptr ? WhyNotOfOutputs(*metric, graph) : std::nullopt) {
      Refuse(gate.text,
             fmt::format("{}; use {}", *why, metric->of_discrete ? "sqnr_db" : "agreement"));
    }
  }
}

std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const GatedPoint& point) {
  std::vector<GateResult> results;
  for (const Gate& gate : gates) {
    results.push_back(Judge(gate, point));
  }
  return results;
}

std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const TuneSummary& summary) {
  if (!summary.front.chosen) {
    std::vector<GateResult> results;
    for (const Gate& gate : gates) {
      results.push_back(Failed(gate, summary.front.points.empty()
                                         ? "no point that could be measured"
                                         : "no point that meets the bounds"));
    }
    return results;
  }
  const FrontPoint& point = summary.front.chosen_point();
  return JudgeGates(gates,
                    {.name = fmt::format("point {}: {}", *summary.front.chosen + 1,
                                         Summary(point.trial.candidate, *summary.run.words)),
                     .measurement = &point.measurement(),
                     .heldout = point.heldout ? &*point.heldout : nullptr,
                     .certificate = point.certificate ? &*point.certificate : nullptr,
                     .metric = summary.reference.metric ? &*summary.reference.metric : nullptr,
                     .reference_top1 = summary.reference.top1,
                     .heldout_top1 = summary.reference.heldout_top1()});
}

}  // namespace halftone
