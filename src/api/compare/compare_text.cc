// A comparison for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/api/compare/compare.h"
#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNodesShown = 20;

std::string SpeedUpText(const ComparedPoint* point) {
  if (point == nullptr) {
    return "-";
  }
  const auto [low, high] = point->speed_up_interval;
  return low == high ? fmt::format("{:.3f}x (predicted)", point->speed_up)
                     : fmt::format("{:.3f}x [{:.3f}, {:.3f}]", point->speed_up, low, high);
}

std::string AccuracyText(const ComparedPoint* point) {
  if (point == nullptr) {
    return "-";
  }
  if (const auto sqnr = point->accuracy.find("sqnr_db"); sqnr != point->accuracy.end()) {
    return FormatSqnr(sqnr->second);
  }
  const auto agreement = point->accuracy.find("agreement");
  return agreement == point->accuracy.end() ? "-" : FormatMetric("agreement", agreement->second);
}

std::string NumberOf(const std::vector<ComparedPoint>& points, const ComparedPoint* point) {
  return point == nullptr
             ? "-"
             : fmt::format("{}{}", point - points.data() + 1, point->chosen ? " *" : "");
}

TextTable CounterpartTable(const Comparison& comparison) {
  TextTable table{.header = {"A", "speed-up", "accuracy", "B", "speed-up", "accuracy", "B / A"},
                  .rows = {}};
  for (const Counterpart& pair : comparison.counterparts) {
    table.rows.push_back(
        {NumberOf(comparison.a.points, pair.a), SpeedUpText(pair.a), AccuracyText(pair.a),
         NumberOf(comparison.b.points, pair.b), SpeedUpText(pair.b), AccuracyText(pair.b),
         pair.b == nullptr ? "-" : fmt::format("{:.3f}", pair.b->speed_up / pair.a->speed_up)});
  }
  return table;
}

void AddList(std::string& text, std::string_view heading, const std::vector<std::string>& items) {
  if (items.empty()) {
    return;
  }
  AddLine(text, heading);
  for (std::size_t i = 0; i < std::min(items.size(), kNodesShown); ++i) {
    AddLine(text, fmt::format("  {}", items[i]));
  }
  if (items.size() > kNodesShown) {
    AddLine(text, fmt::format("  and {} more (--format=json has all)", items.size() - kNodesShown));
  }
}

Json PointJson(const Comparison& comparison, const ComparedPoint* point, bool of_a) {
  if (point == nullptr) {
    return nullptr;
  }
  const auto& points = of_a ? comparison.a.points : comparison.b.points;
  return {{"point", point - points.data() + 1},
          {"chosen", point->chosen},
          {"configuration", point->configuration},
          {"plan_digest", point->plan_digest},
          {"speed_up", point->speed_up},
          {"speed_up_interval", {point->speed_up_interval.low, point->speed_up_interval.high}},
          {"accuracy", point->accuracy}};
}

}  // namespace

std::string FormatComparison(const Comparison& comparison, std::size_t columns) {
  std::string text;
  AddLine(text, fmt::format("A: {}, {}", comparison.a.source,
                            Counted(std::ssize(comparison.a.points), "point")));
  AddLine(text, fmt::format("B: {}, {}", comparison.b.source,
                            Counted(std::ssize(comparison.b.points), "point")));
  if (const auto& a = comparison.a.facts, &b = comparison.b.facts;
      a.contains("network") && b.contains("network") && a.at("network") != b.at("network")) {
    AddLine(text,
            "warning: these are different networks, so speed-ups and accuracies of A and B "
            "do not compare");
  }
  AddList(text, "what differs (A | B):", comparison.differences);
  AddLine(text, "");
  AddLine(text, "each point of A, and the fastest of B that is as accurate:");
  text += AlignedTable(CounterpartTable(comparison), columns);
  AddLine(text, "");
  std::vector<std::string> moved;
  for (const SamePlan& same : comparison.same) {
    if (!same.moved.empty()) {
      moved.push_back(fmt::format("{} (A {}, B {}): {}", same.a->configuration,
                                  NumberOf(comparison.a.points, same.a),
                                  NumberOf(comparison.b.points, same.b), Join(same.moved, "; ")));
    }
  }
  AddLine(text, comparison.same.empty()
                    ? std::string("no plan is in both")
                    : fmt::format("{} in both, of which {} moved beyond the intervals",
                                  Counted(std::ssize(comparison.same), "plan"), moved.size()));
  AddList(text, "moved:", moved);
  if (comparison.a.subject() != nullptr && comparison.b.subject() != nullptr) {
    const std::string_view what = comparison.a.points.size() > 1 ? "the chosen point" : "the point";
    AddList(text, fmt::format("in float32 at {} of A only:", what), comparison.kept_in_a);
    AddList(text, fmt::format("in float32 at {} of B only:", what), comparison.kept_in_b);
    if (comparison.kept_in_a.empty() && comparison.kept_in_b.empty()) {
      AddLine(text, fmt::format("{} keeps the same operators in float32", what));
    }
  }
  AddList(text, "other kernels (A | B):", comparison.kernels);
  return text;
}

std::string FormatComparisonJson(const Comparison& comparison) {
  Json counterparts = Json::array();
  for (const Counterpart& pair : comparison.counterparts) {
    counterparts.push_back(
        {{"a", PointJson(comparison, pair.a, true)}, {"b", PointJson(comparison, pair.b, false)}});
  }
  Json same = Json::array();
  for (const SamePlan& plan : comparison.same) {
    same.push_back({{"a", PointJson(comparison, plan.a, true)},
                    {"b", PointJson(comparison, plan.b, false)},
                    {"moved", plan.moved}});
  }
  const auto front = [](const ComparedFront& of) {
    return Json{{"source", of.source}, {"facts", of.facts}, {"points", of.points.size()}};
  };
  const Json document = {{"schema_version", 1},
                         {"a", front(comparison.a)},
                         {"b", front(comparison.b)},
                         {"differences", comparison.differences},
                         {"counterparts", counterparts},
                         {"same_plans", same},
                         {"kept_in_a", comparison.kept_in_a},
                         {"kept_in_b", comparison.kept_in_b},
                         {"kernels", comparison.kernels}};
  return PrintableJson(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace halftone
