#include "search/trial/pareto_front.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "src/accuracy/discrete_outputs.h"

namespace halftone {
namespace {

bool AreTied(const Latency& faster, const Latency& slower) {
  const double gap = slower.ratio / faster.ratio - 1;
  const bool overlap = faster.ratio_interval.high >= slower.ratio_interval.low;
  return gap < kTieRatio || (overlap && gap < kNoisyTieRatio);
}

}  // namespace

Objectives ObjectivesOf(const Measurement& measurement) {
  Objectives objectives = ErrorObjectivesOf(measurement);
  objectives.loss = measurement.accuracy.loss.value_or(objectives.loss);
  return objectives;
}

Objectives ErrorObjectivesOf(const Measurement& measurement) {
  return {measurement.latency.ratio, OutputErrorOf(measurement.accuracy)};
}

Inaccuracy InaccuracyOf(const Measurement& measurement) {
  return {ObjectivesOf(measurement).loss, ErrorObjectivesOf(measurement).loss};
}

bool Dominates(const Objectives& a, const Objectives& b) {
  return a.latency_ratio <= b.latency_ratio && a.loss <= b.loss && a != b;
}

namespace {

// ParetoFront() of the trials for which `counts` returns true.
template <typename Counts>
std::vector<std::size_t> FrontOf(std::span<const Trial> trials, const Counts& counts) {
  struct Entry {
    double latency_ratio;
    Inaccuracy inaccuracy;
    std::size_t index;
  };

  std::vector<Entry> entries;
  std::set<Hash128> plans;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Measurement* measurement = trials[i].measurement();
    if (measurement != nullptr && counts(*measurement) &&
        plans.insert(trials[i].plan_digest).second) {
      entries.push_back({measurement->latency.ratio, InaccuracyOf(*measurement), i});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.latency_ratio, a.inaccuracy, a.index) <
           std::tuple(b.latency_ratio, b.inaccuracy, b.index);
  });
  // With two objectives, sorted fastest first, a trial is on the front if it is more accurate than
  // all before it.
  std::vector<std::size_t> front;
  Inaccuracy least;
  for (const Entry& entry : entries) {
    if (front.empty() || entry.inaccuracy < least) {
      front.push_back(entry.index);
      least = entry.inaccuracy;
    }
  }
  return front;
}

// Members of a front, fastest first, without those that are tied with a more accurate one.
std::vector<std::size_t> WithoutTies(std::span<const Trial> trials,
                                     const std::vector<std::size_t>& front) {
  std::vector<std::size_t> distinct;
  for (auto member = front.rbegin(); member != front.rend(); ++member) {
    if (distinct.empty() || !AreTied(trials[*member].measurement()->latency,
                                     trials[distinct.back()].measurement()->latency)) {
      distinct.push_back(*member);
    }
  }
  std::reverse(distinct.begin(), distinct.end());
  return distinct;
}

}  // namespace

std::vector<std::size_t> ParetoFront(std::span<const Trial> trials) {
  return FrontOf(trials, [](const Measurement&) { return true; });
}

std::vector<std::size_t> DistinctFront(std::span<const Trial> trials) {
  return WithoutTies(trials, ParetoFront(trials));
}

std::vector<std::size_t> ProvenFront(std::span<const Trial> trials) {
  const auto is_proven = [&](const Measurement& measurement) {
    const Inaccuracy inaccuracy = InaccuracyOf(measurement);
    const Latency& own = measurement.latency;
    return measurement.confirmed || std::ranges::none_of(trials, [&](const Trial& trial) {
             const Measurement* other = trial.measurement();
             return other != nullptr && other->confirmed && InaccuracyOf(*other) <= inaccuracy &&
                    other->latency.ratio_interval.low <= own.ratio_interval.high &&
                    other->latency.ratio <= own.ratio * (1 + kUnprovenRatio);
           });
  };
  return WithoutTies(trials, FrontOf(trials, is_proven));
}

double Hypervolume(std::span<const Objectives> front, const Objectives& reference) {
  std::vector<Objectives> points(front.begin(), front.end());
  std::sort(points.begin(), points.end(), [](const Objectives& a, const Objectives& b) {
    return std::pair(a.latency_ratio, a.loss) < std::pair(b.latency_ratio, b.loss);
  });
  // Slices from fast to slow: each point adds the strip between the loss so far and its own.
  double volume = 0;
  double loss_so_far = reference.loss;
  for (const Objectives& point : points) {
    if (point.latency_ratio < reference.latency_ratio && point.loss < loss_so_far) {
      volume += (reference.latency_ratio - point.latency_ratio) * (loss_so_far - point.loss);
      loss_so_far = point.loss;
    }
  }
  return volume;
}

double RacingBounds::RatioToBeat(const Inaccuracy& candidate) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& trial : trials_) {
    const Measurement* measurement = trial.measurement();
    if (measurement != nullptr && InaccuracyOf(*measurement) <= candidate) {
      least = std::min(least, measurement->latency.ratio_interval.high);
    }
  }
  return least;
}

}  // namespace halftone
