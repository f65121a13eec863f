#include "search/strategies/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <vector>

#include "search/space/mode_format.h"
#include "search/strategies/global_points.h"
#include "search/strategies/proposal_log.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// The halving of one base under one bound.
class Halving {
 public:
  Halving(ProposalLog& log, SpacePoint base, double most_loss)
      : log_(log), base_(std::move(base)), most_loss_(most_loss) {
    const std::size_t nodes = log_.space().keepable_nodes.size();
    good_.assign(nodes, false);
    if (nodes > 0) {
      unknown_.push_back({0, nodes});
    }
  }

  // Judges what was proposed last, then proposes the next point; false at the end.
  bool Advance() {
    while (true) {
      if (asked_) {
        Judge();
      }
      if (unknown_.empty()) {
        return false;
      }
      const auto largest = std::ranges::max_element(
          unknown_, {}, [](const Run& run) { return run.last - run.first; });
      asked_ = *largest;
      unknown_.erase(largest);
      const SpacePoint point = PointOf(*asked_);
      log_.Propose(point);
      if (!log_.queue_empty()) {
        return true;
      }
      // It was proposed before: the answer is there.
    }
  }

 private:
  struct Run {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  // Everything is kept but the good ones and the run.
  [[nodiscard]] SpacePoint PointOf(const Run& run) const {
    SpacePoint point = base_;
    for (std::size_t node = 0; node < good_.size(); ++node) {
      if (!good_[node] && (node < run.first || node >= run.last)) {
        point.kept.push_back(node);
      }
    }
    return point;
  }

  void Judge() {
    const Run run = *asked_;
    asked_.reset();
    if (log_.At(PointOf(run)).loss <= most_loss_) {
      for (std::size_t node = run.first; node < run.last; ++node) {
        good_[node] = true;
      }
    } else if (run.last - run.first > 1) {
      const std::size_t middle = run.first + (run.last - run.first) / 2;
      unknown_.push_back({run.first, middle});
      unknown_.push_back({middle, run.last});
    }
  }

  ProposalLog& log_;
  SpacePoint base_;
  double most_loss_;
  std::vector<bool> good_;
  std::vector<Run> unknown_;
  std::optional<Run> asked_;
};

// The loosest first.
std::vector<double> DecibelsOf(const StrategyValues& values) {
  const std::size_t bounds = OptionValue(kBisectOptions, values, "bounds");
  const std::size_t first = OptionValue(kBisectOptions, values, "first_db");
  const std::size_t step = OptionValue(kBisectOptions, values, "step_db");
  std::vector<double> decibels;
  for (std::size_t i = 0; i < bounds; ++i) {
    decibels.push_back(static_cast<double>(first + i * step));
  }
  return decibels;
}

class BisectStrategy : public SearchStrategy {
 public:
  BisectStrategy(const SearchSpace& space, const StrategyValues& values)
      : log_(space), decibels_(DecibelsOf(values)) {
    for (const SpacePoint& point : GlobalPoints(space)) {
      log_.Propose(point);
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count) {
      if (!log_.queue_empty()) {
        candidates.push_back(log_.Take());
      } else if (!candidates.empty() || !Advance()) {
        break;
      }
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override { log_.Record(finished); }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    const SearchSpace& space = log_.space();
    const std::size_t globals = GlobalPoints(space).size();
    const std::size_t nodes = space.keepable_nodes.size();
    const std::vector<NumericFormat> formats = FormatsOfModes();
    const auto bases = static_cast<std::size_t>(std::ranges::count_if(
        formats, [&](NumericFormat format) { return HasModeOf(format, space.modes); }));
    return Forecast{
        .work_plan =
            fmt::format("{} of the whole network, then sets of {} halved until they are within {}",
                        Counted(static_cast<std::int64_t>(globals), "plan"),
                        Counted(static_cast<std::int64_t>(nodes), "operator"),
                        Counted(std::ssize(decibels_), "bound")),
        .most_plans = globals + (nodes > 0 ? decibels_.size() * bases * (2 * nodes - 1) : 0)};
  }

 private:
  bool Advance() {
    if (!started_) {
      started_ = true;
      AddHalvings();
    }
    while (!halvings_.empty()) {
      if (halvings_.front().Advance()) {
        return true;
      }
      halvings_.pop_front();
    }
    return false;
  }

  void AddHalvings() {
    std::vector<SpacePoint> bases;
    for (const NumericFormat format : FormatsOfModes()) {
      if (const auto base = BaseOf(format)) {
        bases.push_back(*base);
      }
    }
    for (const double decibels : decibels_) {
      for (const SpacePoint& base : bases) {
        halvings_.emplace_back(log_, base, std::pow(10, -decibels / 20));
      }
    }
  }

  // The fastest global point of this type; where all are rejected, its first mode.
  [[nodiscard]] std::optional<SpacePoint> BaseOf(NumericFormat format) const {
    std::optional<SpacePoint> base;
    for (const SpacePoint& point : GlobalPoints(log_.space())) {
      if (FormatOfMode(log_.space().modes[point.mode]) == format &&
          (!base || log_.At(point).latency_ratio < log_.At(*base).latency_ratio)) {
        base = point;
      }
    }
    return base;
  }

  ProposalLog log_;
  std::vector<double> decibels_;  // bounds, the loosest first
  bool started_ = false;
  std::deque<Halving> halvings_;  // refer to log_
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeBisectStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options) {
  return std::make_unique<BisectStrategy>(space, options.values);
}

}  // namespace halftone
