#include "src/api/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// Metrics by which a point counts as accurate as another, the first that both have.
constexpr std::string_view kJudges[] = {"sqnr_db", "agreement"};

std::vector<std::string> DifferentFacts(const ComparedFront& a, const ComparedFront& b) {
  std::set<std::string> names;
  for (const ComparedFront* front : {&a, &b}) {
    for (const auto& [name, value] : front->facts) {
      names.insert(name);
    }
  }
  const auto value_in = [](const ComparedFront& front, const std::string& name) {
    const auto found = front.facts.find(name);
    return found == front.facts.end() ? std::string("none") : found->second;
  };
  std::vector<std::string> differences;
  for (const std::string& name : names) {
    const std::string of_a = value_in(a, name);
    const std::string of_b = value_in(b, name);
    // A point does not say how many samples measured it.
    if (of_a != of_b && !(name == "samples" && (of_a == "none" || of_b == "none"))) {
      differences.push_back(fmt::format("{}: {} | {}", name, of_a, of_b));
    }
  }
  return differences;
}

// The names of `of` that are not in `other`, in their order.
std::vector<std::string> NotIn(const std::vector<std::string>& of,
                               const std::vector<std::string>& other) {
  const std::set<std::string> known(other.begin(), other.end());
  std::vector<std::string> left;
  std::ranges::copy_if(of, std::back_inserter(left),
                       [&](const std::string& name) { return !known.contains(name); });
  return left;
}

std::vector<std::string> DifferentKernels(const ComparedFront& a, const ComparedFront& b) {
  std::vector<std::string> lines;
  if (a.kernels.empty() || b.kernels.empty()) {
    return lines;
  }
  for (const auto& [node, kernels] : a.kernels) {
    const auto other = b.kernels.find(node);
    if (other != b.kernels.end() && other->second != kernels) {
      lines.push_back(fmt::format("{}: {} | {}", node, kernels, other->second));
    }
  }
  return lines;
}

bool Apart(const Interval& a, const Interval& b) {
  return a.high < b.low || b.high < a.low;
}

bool IsTie(double a, double b) {
  return std::abs(a - b) <= kTieRatio * std::max(std::abs(a), std::abs(b));
}

std::vector<std::string> MovesOf(const ComparedPoint& a, const ComparedPoint& b) {
  std::vector<std::string> moved;
  if (Apart(a.speed_up_interval, b.speed_up_interval) && !IsTie(a.speed_up, b.speed_up)) {
    moved.push_back(fmt::format("speed-up {:.3f}x -> {:.3f}x", a.speed_up, b.speed_up));
  }
  for (const auto& [name, mean] : a.accuracy) {
    const auto other = b.accuracy.find(name);
    const auto interval = a.interval.find(name);
    const auto other_interval = b.interval.find(name);
    if (other == b.accuracy.end()) {
      continue;
    }
    const bool known = interval != a.interval.end() && other_interval != b.interval.end();
    if (known ? Apart(interval->second, other_interval->second) : !IsTie(mean, other->second)) {
      moved.push_back(fmt::format("{} {} -> {}", name, FormatMetric(name, mean),
                                  FormatMetric(name, other->second)));
    }
  }
  return moved;
}

// Whether `b` is as accurate as `a` on the metric that judges both.
bool IsAsAccurate(const ComparedPoint& b, const ComparedPoint& a) {
  for (const std::string_view judge : kJudges) {
    const auto of_a = a.accuracy.find(std::string(judge));
    const auto of_b = b.accuracy.find(std::string(judge));
    if (of_a != a.accuracy.end() && of_b != b.accuracy.end()) {
      return of_b->second >= of_a->second;
    }
  }
  return false;
}

}  // namespace

Comparison CompareFronts(ComparedFront a, ComparedFront b) {
  Comparison comparison{.a = std::move(a),
                        .b = std::move(b),
                        .differences = {},
                        .kept_in_a = {},
                        .kept_in_b = {},
                        .kernels = {},
                        .same = {},
                        .counterparts = {}};
  comparison.differences = DifferentFacts(comparison.a, comparison.b);
  comparison.kernels = DifferentKernels(comparison.a, comparison.b);
  const ComparedPoint* subject_a = comparison.a.subject();
  const ComparedPoint* subject_b = comparison.b.subject();
  if (subject_a != nullptr && subject_b != nullptr) {
    comparison.kept_in_a = NotIn(subject_a->kept_nodes, subject_b->kept_nodes);
    comparison.kept_in_b = NotIn(subject_b->kept_nodes, subject_a->kept_nodes);
  }
  for (const ComparedPoint& point : comparison.a.points) {
    const auto same =
        std::ranges::find(comparison.b.points, point.plan_digest, &ComparedPoint::plan_digest);
    if (same != comparison.b.points.end()) {
      comparison.same.push_back({&point, &*same, MovesOf(point, *same)});
    }
    const auto as_accurate = std::ranges::find_if(
        comparison.b.points,
        [&](const ComparedPoint& other) { return IsAsAccurate(other, point); });
    comparison.counterparts.push_back(
        {&point, as_accurate == comparison.b.points.end() ? nullptr : &*as_accurate});
  }
  return comparison;
}

}  // namespace halftone
