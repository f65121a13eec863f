#include "search/trial/choose.h"

#include <algorithm>

#include "search/trial/pareto_front.h"

namespace halftone {
namespace {

bool GoodEnough(const Constraints& constraints, const Measurement& measurement) {
  if (constraints.any()) {
    return constraints.of_accuracy();  // the bounds have been met, and the user has set them
  }
  return IsGoodByDefault(measurement.accuracy);
}

// `index`, or `best` when that one is no less accurate.
std::size_t MoreAccurate(std::span<const Trial> front, std::optional<std::size_t> best,
                         std::size_t index) {
  const auto inaccuracy = [&](std::size_t i) { return InaccuracyOf(*front[i].measurement()); };
  return best && inaccuracy(*best) <= inaccuracy(index) ? *best : index;
}

}  // namespace

bool IsGoodByDefault(const Accuracy& accuracy) {
  const MetricValue* sqnr = accuracy.Find("sqnr_db");
  const MetricValue* agreement = accuracy.Find("agreement");
  return sqnr != nullptr ? sqnr->worst >= kDefaultWorstSqnrDb
                         : agreement != nullptr && agreement->mean >= kDefaultAgreement;
}

std::optional<std::size_t> MostAccurateMember(std::span<const Trial> front) {
  std::optional<std::size_t> most_accurate;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (front[i].measurement() != nullptr) {
      most_accurate = MoreAccurate(front, most_accurate, i);
    }
  }
  return most_accurate;
}

std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1) {
  std::optional<double> fastest_ratio;  // of the members that are good enough
  std::optional<std::size_t> chosen;
  std::optional<std::size_t> most_accurate;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Measurement* measurement = front[i].measurement();
    if (measurement == nullptr || Violation(constraints, *measurement, reference_top1)) {
      continue;
    }
    if (GoodEnough(constraints, *measurement)) {
      fastest_ratio = fastest_ratio.value_or(measurement->latency.ratio);
      if (measurement->latency.ratio <= *fastest_ratio * (1 + kTieRatio)) {
        chosen = MoreAccurate(front, chosen, i);
      }
      continue;
    }
    most_accurate = MoreAccurate(front, most_accurate, i);
  }
  return chosen ? chosen : most_accurate;
}

std::optional<std::size_t> ChooseMemberOf(std::span<const Trial> front,
                                          std::span<const std::size_t> allowed,
                                          const Constraints& constraints,
                                          std::optional<double> reference_top1) {
  std::vector<Trial> members;
  for (const std::size_t i : allowed) {
    members.push_back(front[i]);
  }
  const auto chosen = ChooseMember(members, constraints, reference_top1);
  return chosen ? std::optional(allowed[*chosen]) : std::nullopt;
}

std::vector<std::size_t> NearestMembers(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1) {
  Constraints accuracy = constraints;
  accuracy.max_latency_ratio.reset();
  const Constraints latency{.max_latency_ratio = constraints.max_latency_ratio};
  std::vector<std::size_t> nearest;
  for (const Constraints& part : {accuracy, latency}) {
    const auto member = part.any() ? ChooseMember(front, part, reference_top1) : std::nullopt;
    if (member && std::ranges::find(nearest, *member) == nearest.end()) {
      nearest.push_back(*member);
    }
  }
  const std::optional<std::size_t> most_accurate = MostAccurateMember(front);
  if (nearest.empty() && most_accurate) {
    nearest.push_back(*most_accurate);
  }
  return nearest;
}

}  // namespace halftone
