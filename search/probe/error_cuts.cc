#include "search/probe/error_cuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace halftone {
namespace {

constexpr std::size_t kMostSegments = 32;
constexpr double kImpossible = std::numeric_limits<double>::infinity();

// Costs of segments and cuts, in steps that run. Positions count steps.
class CarryCosts {
 public:
  CarryCosts(const Graph& steps, std::span<const DecisionGroup> groups)
      : steps_(steps.nodes.size()), groups_(steps_ + 1), firsts_(steps_ + 1), cut_(steps_ + 1) {
    for (const DecisionGroup& group : groups) {
      const auto after = static_cast<std::size_t>(group.steps.back()) + 1;
      groups_[after] += 1.0;
      firsts_[after] += static_cast<double>(group.steps.front());
    }
    std::partial_sum(groups_.begin(), groups_.end(), groups_.begin());
    std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
    for (std::size_t end = 1; end < steps_; ++end) {
      for (const ValueId id : ValuesAt(steps, static_cast<NodeId>(end))) {
        const auto steps_behind = static_cast<double>(steps_ - end);
        cut_[end] = IsFloating(steps.value(id).type.dtype) ? cut_[end] + steps_behind : kImpossible;
        if (cut_[end] == kImpossible) {
          break;
        }
      }
    }
  }

  // The groups whose last step lies in [begin, end) are carried to `end`.
  [[nodiscard]] double OfSegment(std::size_t begin, std::size_t end) const {
    return (groups_[end] - groups_[begin]) * static_cast<double>(end - 1) -
           (firsts_[end] - firsts_[begin]);
  }

  // Every value at the cut is carried to the outputs.
  [[nodiscard]] double OfCut(std::size_t end) const { return cut_[end]; }

  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  std::size_t steps_;
  std::vector<double> groups_;  // number of groups whose last step is before a position
  std::vector<double> firsts_;  // sum of the first steps of these groups
  std::vector<double> cut_;     // by position of the cut
};

// Least cost of so many segments up to each position, and where the last segment begins.
struct Segments {
  explicit Segments(std::size_t positions) : cost(positions, kImpossible), begin(positions) {}

  std::vector<double> cost;
  std::vector<std::size_t> begin;
};

Segments OneMore(const CarryCosts& costs, const Segments& before) {
  Segments segments(costs.steps() + 1);
  for (std::size_t end = 2; end <= costs.steps(); ++end) {
    for (std::size_t begin = 1; begin < end; ++begin) {
      const double cost = before.cost[begin] + costs.OfSegment(begin, end) + costs.OfCut(end);
      if (cost < segments.cost[end]) {
        segments.cost[end] = cost;
        segments.begin[end] = begin;
      }
    }
  }
  return segments;
}

}  // namespace

NodeId ErrorCuts::EndOf(const DecisionGroup& group) const {
  return *std::ranges::upper_bound(ends, group.steps.back());
}

std::vector<ValueId> ValuesAt(const Graph& steps, NodeId end) {
  std::vector<bool> made(steps.values.size());
  std::vector<bool> alive(steps.values.size());
  for (NodeId id = 0; id < std::ssize(steps.nodes); ++id) {
    for (const ValueId output : steps.node(id).outputs) {
      if (output != kNoValue && id < end) {
        made[static_cast<std::size_t>(output)] = true;
      }
    }
    for (const ValueId input : steps.node(id).inputs) {
      if (input != kNoValue && id >= end) {
        alive[static_cast<std::size_t>(input)] = true;
      }
    }
  }
  for (const ValueId output : steps.outputs) {
    alive[static_cast<std::size_t>(output)] = true;
  }
  std::vector<ValueId> values;
  for (std::size_t v = 0; v < made.size(); ++v) {
    if (made[v] && alive[v]) {
      values.push_back(static_cast<ValueId>(v));
    }
  }
  return values;
}

ErrorCuts PlanErrorCuts(const Graph& steps, std::span<const DecisionGroup> groups,
                        double most_runs) {
  const CarryCosts costs(steps, groups);
  const std::size_t count = costs.steps();
  const auto in_runs = [&](double of_steps) { return of_steps / static_cast<double>(count); };
  std::vector<Segments> by_count(1, Segments(count + 1));  // by number of segments - 1
  for (std::size_t end = 1; end <= count; ++end) {
    by_count[0].cost[end] = costs.OfSegment(0, end) + costs.OfCut(end);
  }
  const auto cost_of = [&](std::size_t index) { return by_count[index].cost[count]; };
  std::size_t chosen = 0;
  while (in_runs(cost_of(chosen)) > most_runs && by_count.size() < std::min(kMostSegments, count)) {
    by_count.push_back(OneMore(costs, by_count.back()));
    if (cost_of(by_count.size() - 1) >= cost_of(chosen)) {
      break;
    }
    chosen = by_count.size() - 1;
  }
  ErrorCuts cuts{.ends = {}, .runs = in_runs(cost_of(chosen))};
  std::size_t end = count;
  for (std::size_t s = chosen + 1; s-- > 0; end = by_count[s].begin[end]) {
    cuts.ends.push_back(static_cast<NodeId>(end));
  }
  std::ranges::reverse(cuts.ends);
  return cuts;
}

}  // namespace halftone
