#include "src/report/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

constexpr std::string_view kWorst = "_worst";
constexpr std::string_view kTop1Drop = "top1_drop";

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

// Sources of a quantity.
struct JudgedPoint {
  const Measurement& measurement;
  const Accuracy& accuracy;
  std::optional<double> reference_top1;  // on the same samples
};

struct QuantityRow {
  std::string_view name;
  bool of_accuracy;
  std::optional<double> (*value)(const JudgedPoint& point);
};

std::optional<double> Top1Drop(const JudgedPoint& point) {
  const MetricValue* top1 = point.accuracy.Find("top1");
  if (top1 != nullptr && point.reference_top1) {
    return *point.reference_top1 - top1->mean;
  }
  const MetricValue* agreement = point.accuracy.Find("top1_agreement");
  return agreement != nullptr ? std::optional(1 - agreement->mean) : std::nullopt;
}

// Quantities of a gate besides the metrics.
constexpr QuantityRow kQuantities[] = {
    {"latency_ratio", false,
     [](const JudgedPoint& point) { return std::optional(point.measurement.latency.ratio); }},
    {"speed_up", false,
     [](const JudgedPoint& point) { return std::optional(point.measurement.latency.speed_up()); }},
    {"peak_arena_bytes", false,
     [](const JudgedPoint& point) {
       return std::optional(static_cast<double>(point.measurement.peak_arena_bytes));
     }},
    {kTop1Drop, true, Top1Drop},
};

const QuantityRow* FindQuantity(std::string_view name) {
  for (const QuantityRow& row : kQuantities) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

std::string_view MetricOf(std::string_view quantity) {
  return quantity.ends_with(kWorst) ? quantity.substr(0, quantity.size() - kWorst.size())
                                    : quantity;
}

std::optional<double> ValueOf(std::string_view quantity, const JudgedPoint& point) {
  if (const QuantityRow* row = FindQuantity(quantity)) {
    return row->value(point);
  }
  const MetricValue* metric = point.accuracy.Find(MetricOf(quantity));
  if (metric == nullptr) {
    return std::nullopt;
  }
  return quantity.ends_with(kWorst) ? metric->worst : metric->mean;
}

[[noreturn]] void Refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("--fail_if={}: {}", Shown(text), why));
}

void CheckQuantity(std::string_view text, const std::string& name) {
  const std::vector<std::string> names = GateQuantities();
  for (const std::string& known : names) {
    if (known == name) {
      return;
    }
  }
  const std::vector<std::string> closest = ClosestNames(name, names);
  Refuse(text, fmt::format("'{}' is no quantity{}; expected one of {}", Shown(name),
                           closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest[0]),
                           Join(names, ", ")));
}

double LimitOf(std::string_view text, std::string_view number) {
  double limit = 0;
  const char* end = number.data() + number.size();
  const auto [stop, code] = std::from_chars(number.data(), end, limit);
  if (code != std::errc() || stop != end || !std::isfinite(limit)) {
    Refuse(text, fmt::format("expected a number behind the comparison, found '{}'", Shown(number)));
  }
  return limit;
}

GateResult Judge(const Gate& gate, const TuneSummary& summary) {
  const ComparisonRow& row = RowOf(gate.comparison);
  GateResult result{.gate = gate,
                    .passed = false,
                    .expected = fmt::format("{} {} {}", gate.quantity, row.passes, gate.limit),
                    .found = summary.front.points.empty() ? "no point that could be measured"
                                                          : "no point that meets the bounds",
                    .point = {}};
  if (!summary.front.chosen) {
    return result;
  }
  const FrontPoint& point = summary.front.chosen_point();
  result.point =
      fmt::format("point {}: {}", *summary.front.chosen + 1, Summary(point.trial.candidate));
  const QuantityRow* quantity = FindQuantity(gate.quantity);
  const bool heldout = point.heldout && (quantity == nullptr || quantity->of_accuracy);
  const auto value = ValueOf(
      gate.quantity,
      {.measurement = point.measurement(),
       .accuracy = heldout ? *point.heldout : point.measurement().accuracy,
       .reference_top1 = heldout ? summary.reference.heldout_top1() : summary.reference.top1});
  const std::string_view where = heldout ? " on held-out samples" : "";
  if (!value) {
    result.found = fmt::format("none: there is no {}{}", gate.quantity, where);
    return result;
  }
  result.passed = !row.fails(*value, gate.limit);
  result.found = fmt::format("{:.6g}{}", *value, where);
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

void CheckGates(std::span<const Gate> gates, bool has_labels) {
  for (const Gate& gate : gates) {
    const MetricRow* metric = FindMetric(MetricOf(gate.quantity));
    if (metric != nullptr && metric->needs_labels && !has_labels) {
      Refuse(gate.text,
             fmt::format("{} needs labels, and none are given; add --labels", metric->name));
    }
  }
}

void CheckGateOutputs(std::span<const Gate> gates, const Graph& graph) {
  for (const Gate& gate : gates) {
    const MetricRow* metric =
        FindMetric(gate.quantity == kTop1Drop ? "top1_agreement" : MetricOf(gate.quantity));
    if (const auto why = metric != nullptr ? WhyNotOfOutputs(*metric, graph) : std::nullopt) {
      Refuse(gate.text,
             fmt::format("{}; use {}", *why, metric->of_discrete ? "sqnr_db" : "agreement"));
    }
  }
}

std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const TuneSummary& summary) {
  std::vector<GateResult> results;
  for (const Gate& gate : gates) {
    results.push_back(Judge(gate, summary));
  }
  return results;
}

}  // namespace halftone
