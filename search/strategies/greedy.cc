#include "search/strategies/greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <list>
#include <optional>
#include <string_view>
#include <vector>

#include "search/space/mode_format.h"
#include "search/space/space_point.h"
#include "search/strategies/global_points.h"
#include "search/strategies/proposal_log.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Least rise of the latency ratio, what a quick measurement resolves (docs/internals/latency.md):
// smaller rises count as this one, so that noise cannot make an operator look free.
constexpr double kLeastCost = 0.003;
// The best `probes` / kSplitShare runs of operators, at least one, are probed operator by operator.
constexpr std::size_t kSplitShare = 8;
// Losses below this are equal (200 dB): keeps logarithms finite.
constexpr double kLeastLoss = 1e-10;
// The loss that stands for a rejection where a finite number is needed: all of the signal is wrong.
constexpr double kLossOfRejected = 1.0;

// Values of kGreedyOptions.
struct GreedyLimits {
  std::size_t bases = 0;
  std::size_t probes = 0;
  std::size_t halvings = 0;
  std::size_t type_points = 0;
};

GreedyLimits GreedyLimitsOf(const StrategyValues& values) {
  const auto value = [&](std::string_view name) {
    return OptionValue(kGreedyOptions, values, name);
  };
  return {.bases = value("bases"),
          .probes = value("probes"),
          .halvings = value("halvings"),
          .type_points = value("type_points")};
}

bool Finite(const Objectives& objectives) {
  return std::isfinite(objectives.loss);
}

// The area between two neighbours on the curve (logarithm of the loss): what a point in between
// could gain at most.
double Gap(const Objectives& less_kept, const Objectives& more_kept) {
  const auto level = [](double loss) { return std::log(std::max(loss, kLeastLoss)); };
  return std::max(0.0, more_kept.latency_ratio - less_kept.latency_ratio) *
         std::max(0.0, level(less_kept.loss) - level(more_kept.loss));
}

// The stages of one base: which operators to keep, and how many.
class KeepSetSearch {
 public:
  // `base`: a point with nothing kept. `log` must outlive this.
  KeepSetSearch(ProposalLog& log, SpacePoint base, const GreedyLimits& limits);

  // Upper bound on the proposed points for a number of keepable nodes.
  static std::size_t MostPlans(std::size_t nodes, const GreedyLimits& limits);

  // Reads the results of what was proposed last and proposes the next points. False when there is
  // nothing left to do.
  bool Advance();

 private:
  enum class Stage { kProbes, kSplits, kKeepSets, kHalvings, kDone };

  // Operators that are kept together.
  struct Unit {
    std::vector<std::size_t> nodes;
    double score = 0;  // gain per cost
  };

  // Keep sets of growing size with one implementation-mode set; sizes are those proposed so far.
  struct Chain {
    std::size_t impl_mode_set = 0;
    std::vector<std::size_t> sizes;  // ascending, the first is 0
  };

  [[nodiscard]] SpacePoint PointOf(std::size_t impl_mode_set, std::size_t size) const;
  [[nodiscard]] SpacePoint ProbeOf(const Unit& unit) const;
  [[nodiscard]] std::vector<std::size_t> BestImplModeSets() const;
  void ProposeProbes();
  void RateUnits();
  void SplitBestUnits();
  void ProposeKeepSets();
  bool ProposeHalving();

  ProposalLog& log_;
  SpacePoint base_;
  GreedyLimits limits_;
  Stage stage_ = Stage::kProbes;
  std::vector<Unit> units_;
  std::vector<Chain> chains_;
  std::size_t halvings_ = 0;
};

std::size_t KeepSetSearch::MostPlans(std::size_t nodes, const GreedyLimits& limits) {
  constexpr std::size_t kMostSets = 3;  // BestImplModeSets()
  if (nodes == 0) {
    return 0;
  }
  const std::size_t splits = nodes > limits.probes ? limits.probes : 0;
  const std::size_t units = std::min(nodes, limits.probes) + splits;
  const auto sizes = static_cast<std::size_t>(std::bit_width(units - 1)) + 1;  // 1, 2, 4, ..., all
  return units + kMostSets * sizes + limits.halvings;
}

KeepSetSearch::KeepSetSearch(ProposalLog& log, SpacePoint base, const GreedyLimits& limits)
    : log_(log), base_(std::move(base)), limits_(limits) {}

bool KeepSetSearch::Advance() {
  switch (stage_) {
    case Stage::kProbes:
      ProposeProbes();
      stage_ = Stage::kSplits;
      return true;
    case Stage::kSplits:
      RateUnits();
      SplitBestUnits();
      stage_ = Stage::kKeepSets;
      return true;
    case Stage::kKeepSets:
      RateUnits();
      ProposeKeepSets();
      stage_ = Stage::kHalvings;
      return true;
    case Stage::kHalvings:
      if (halvings_ < limits_.halvings && ProposeHalving()) {
        ++halvings_;
        return true;
      }
      stage_ = Stage::kDone;
      return false;
    case Stage::kDone:
      return false;
  }
  return false;
}

SpacePoint KeepSetSearch::ProbeOf(const Unit& unit) const {
  SpacePoint point = base_;
  point.kept = unit.nodes;
  return point;
}

// The first `size` units kept.
SpacePoint KeepSetSearch::PointOf(std::size_t impl_mode_set, std::size_t size) const {
  SpacePoint point = base_;
  point.impl_mode_set = impl_mode_set;
  for (std::size_t i = 0; i < size; ++i) {
    point.kept.insert(point.kept.end(), units_[i].nodes.begin(), units_[i].nodes.end());
  }
  std::sort(point.kept.begin(), point.kept.end());
  return point;
}

void KeepSetSearch::ProposeProbes() {
  const std::size_t nodes = log_.space().keepable_nodes.size();
  const std::size_t count = std::min(nodes, limits_.probes);
  for (std::size_t i = 0; i < count; ++i) {
    Unit unit;
    for (std::size_t node = i * nodes / count; node < (i + 1) * nodes / count; ++node) {
      unit.nodes.push_back(node);
    }
    log_.Propose(ProbeOf(unit));
    units_.push_back(std::move(unit));
  }
}

// Sorts the units by score. Gains are differences of error power (loss squared): small errors of
// different operators are uncorrelated, so it is their powers that add up.
void KeepSetSearch::RateUnits() {
  Objectives base = log_.At(base_);
  const bool base_rejected = !Finite(base);
  if (base_rejected) {  // compare the probes with each other
    base.loss = kLossOfRejected;
    for (const Unit& unit : units_) {
      base.latency_ratio = std::min(base.latency_ratio, log_.At(ProbeOf(unit)).latency_ratio);
    }
  }
  for (Unit& unit : units_) {
    const Objectives probe = log_.At(ProbeOf(unit));
    if (!Finite(probe)) {
      unit.score = -std::numeric_limits<double>::infinity();
      continue;
    }
    const double gain = base.loss * base.loss - probe.loss * probe.loss;
    const double cost = std::max(kLeastCost, probe.latency_ratio - base.latency_ratio);
    unit.score = gain > 0 ? gain / cost : gain;
  }
  // An operator that cannot be kept on a base that works cannot be kept in any keep set. On a base
  // that does not work it may be one of several that have to be kept.
  if (!base_rejected) {
    std::erase_if(units_, [](const Unit& unit) { return std::isinf(unit.score); });
  }
  std::stable_sort(units_.begin(), units_.end(),
                   [](const Unit& a, const Unit& b) { return a.score > b.score; });
}

void KeepSetSearch::SplitBestUnits() {
  const std::size_t most_split = std::max<std::size_t>(1, limits_.probes / kSplitShare);
  std::vector<Unit> singles;
  std::vector<Unit> others;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    const bool split = unit.nodes.size() > 1 && i < most_split && unit.score > 0 &&
                       singles.size() + unit.nodes.size() <= limits_.probes;
    if (!split) {
      others.push_back(unit);
      continue;
    }
    for (const std::size_t node : unit.nodes) {
      singles.push_back({{node}, 0});
      log_.Propose(ProbeOf(singles.back()));
    }
  }
  units_ = std::move(singles);
  units_.insert(units_.end(), others.begin(), others.end());
}

// The base's own set first, then the fastest and the most accurate of those measured with nothing
// kept in this mode.
std::vector<std::size_t> KeepSetSearch::BestImplModeSets() const {
  std::size_t fastest = base_.impl_mode_set;
  std::size_t most_accurate = base_.impl_mode_set;
  for (std::size_t set = 0; set < log_.space().impl_mode_sets.size(); ++set) {
    const Objectives objectives = log_.At(PointOf(set, 0));
    if (objectives.latency_ratio < log_.At(PointOf(fastest, 0)).latency_ratio) {
      fastest = set;
    }
    if (objectives.loss < log_.At(PointOf(most_accurate, 0)).loss) {
      most_accurate = set;
    }
  }
  std::vector<std::size_t> sets;
  for (const std::size_t set : {base_.impl_mode_set, fastest, most_accurate}) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      sets.push_back(set);
    }
  }
  return sets;
}

void KeepSetSearch::ProposeKeepSets() {
  for (const std::size_t set : BestImplModeSets()) {
    Chain chain{set, {0}};
    for (std::size_t size = 1; size < units_.size(); size *= 2) {
      chain.sizes.push_back(size);
    }
    if (!units_.empty()) {
      chain.sizes.push_back(units_.size());
    }
    for (const std::size_t size : chain.sizes) {
      log_.Propose(PointOf(set, size));
    }
    chains_.push_back(std::move(chain));
  }
}

bool KeepSetSearch::ProposeHalving() {
  Chain* best_chain = nullptr;
  std::size_t best_after = 0;  // index into best_chain->sizes
  double best_gap = 0;
  for (Chain& chain : chains_) {
    for (std::size_t i = 0; i + 1 < chain.sizes.size(); ++i) {
      Objectives less_kept = log_.At(PointOf(chain.impl_mode_set, chain.sizes[i]));
      const Objectives more_kept = log_.At(PointOf(chain.impl_mode_set, chain.sizes[i + 1]));
      if (!Finite(less_kept)) {
        less_kept = {0, kLossOfRejected};  // where it starts to work is worth knowing most
      }
      const double gap = Gap(less_kept, more_kept);
      if (chain.sizes[i + 1] - chain.sizes[i] > 1 && Finite(more_kept) && gap > best_gap) {
        best_gap = gap;
        best_chain = &chain;
        best_after = i;
      }
    }
  }
  if (best_chain == nullptr) {
    return false;
  }
  std::vector<std::size_t>& sizes = best_chain->sizes;
  const std::size_t middle = (sizes[best_after] + sizes[best_after + 1]) / 2;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(best_after) + 1, middle);
  log_.Propose(PointOf(best_chain->impl_mode_set, middle));
  return true;
}

std::size_t MostPlansOfSpace(const SearchSpace& space, const GreedyLimits& limits) {
  std::size_t types = 0;
  for (std::size_t set = 0; set < space.impl_mode_sets.size(); ++set) {
    types += IsSingleType(space, set) ? 1 : 0;
  }
  return GlobalPoints(space).size() +
         std::min(limits.bases, space.modes.size()) *
             KeepSetSearch::MostPlans(space.keepable_nodes.size(), limits) +
         limits.type_points * types;
}

class GreedyStrategy : public SearchStrategy {
 public:
  GreedyStrategy(const SearchSpace& space, const GreedyLimits& limits)
      : log_(space), limits_(limits) {
    ProposeGlobals([](const SpacePoint& point) { return point.impl_mode_set == 0; });
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{
        .work_plan = fmt::format(
            "{} of the whole network, then single operators and growing sets of {} in float32",
            Counted(std::ssize(GlobalPoints(log_.space())), "plan"),
            Counted(std::ssize(log_.space().keepable_nodes), "operator")),
        .most_plans = MostPlansOfSpace(log_.space(), limits_)};
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count) {
      if (!log_.queue_empty()) {
        candidates.push_back(log_.Take());
      } else if (!candidates.empty() || !Advance()) {
        break;  // the next stage needs the results of these
      }
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override { log_.Record(finished); }

 private:
  enum class Stage { kModes, kSets, kKeepSets, kTypes, kDone };

  // Proposes points of the next stage, possibly none new; false when all stages are over.
  bool Advance() {
    switch (stage_) {
      case Stage::kModes:
        for (const SpacePoint& base : ChooseBases()) {
          ProposeGlobals([&](const SpacePoint& point) { return point.mode == base.mode; });
        }
        stage_ = Stage::kSets;
        return true;
      case Stage::kSets:
        for (const SpacePoint& base : ChooseBases()) {
          searches_.emplace_back(log_, base, limits_);
        }
        stage_ = Stage::kKeepSets;
        return true;
      case Stage::kKeepSets:
        if (searches_.empty()) {
          ProposeGlobals([](const SpacePoint& /*any*/) { return true; });
          stage_ = Stage::kTypes;
        } else if (!searches_.front().Advance()) {
          searches_.pop_front();
        }
        return true;
      case Stage::kTypes:
        ProposeTypes();
        stage_ = Stage::kDone;
        return true;
      case Stage::kDone:
        return false;
    }
    return false;
  }

  // Those that were proposed before are not proposed again.
  template <typename Wanted>
  void ProposeGlobals(const Wanted& wanted) {
    for (const SpacePoint& point : GlobalPoints(log_.space())) {
      if (wanted(point)) {
        log_.Propose(point);
      }
    }
  }

  // The fastest base of each 16-bit type, then the front, fastest first: bases that lower
  // something, one per mode, none twice under two names. A type whose bases are all rejected
  // (overflow is what keep sets are for) takes part with its first mode.
  std::vector<SpacePoint> ChooseBases() {
    std::vector<SpacePoint> by_speed = log_.Measured();
    std::erase_if(by_speed, [&](const SpacePoint& point) { return !log_.UsesLowPrecision(point); });
    std::stable_sort(by_speed.begin(), by_speed.end(),
                     [&](const SpacePoint& a, const SpacePoint& b) {
                       return log_.At(a).latency_ratio < log_.At(b).latency_ratio;
                     });
    std::vector<SpacePoint> wanted;
    std::vector<SpacePoint> rejected;
    for (const NumericFormat format : FormatsOfModes()) {
      const auto fastest =
          std::find_if(by_speed.begin(), by_speed.end(), [&](const SpacePoint& point) {
            return FormatOfMode(log_.space().modes[point.mode]) == format;
          });
      if (fastest != by_speed.end()) {
        wanted.push_back(*fastest);
      } else if (const auto point = FirstRejected(format)) {
        rejected.push_back(*point);
      }
    }
    for (const SpacePoint& point : log_.Front()) {
      if (log_.UsesLowPrecision(point)) {
        wanted.push_back(point);
      }
    }
    wanted.insert(
        wanted.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, wanted.size())),
        rejected.begin(), rejected.end());
    return Distinct(wanted);
  }

  [[nodiscard]] std::optional<SpacePoint> FirstRejected(NumericFormat format) const {
    for (std::size_t mode = 0; mode < log_.space().modes.size(); ++mode) {
      const SpacePoint point{mode, 0, {}};
      if (FormatOfMode(log_.space().modes[mode]) == format && log_.At(point) == kRejected) {
        return point;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<SpacePoint> Distinct(const std::vector<SpacePoint>& wanted) const {
    std::vector<SpacePoint> bases;
    for (const SpacePoint& point : wanted) {
      // Equal to the last digit: two modes that resolve to one plan.
      const bool known = std::any_of(bases.begin(), bases.end(), [&](const SpacePoint& base) {
        return base.mode == point.mode ||
               (log_.At(base) == log_.At(point) && log_.At(base) != kRejected);
      });
      if (!known && bases.size() < limits_.bases) {
        bases.push_back(point);
      }
    }
    return bases;
  }

  void ProposeTypes() {
    const SearchSpace& space = log_.space();
    std::vector<SpacePoint> front = log_.Front();
    const std::size_t count = std::min(front.size(), limits_.type_points);
    for (std::size_t i = 0; i < count; ++i) {
      SpacePoint point = front[i * front.size() / count];  // spread evenly, the fastest first
      for (std::size_t set = 0; set < space.impl_mode_sets.size(); ++set) {
        if (IsSingleType(space, set)) {
          point.impl_mode_set = set;
          log_.Propose(point);
        }
      }
    }
  }

  ProposalLog log_;
  GreedyLimits limits_;
  std::list<KeepSetSearch> searches_;  // refer to log_
  Stage stage_ = Stage::kModes;
};

}  // namespace

std::size_t MostGreedyPlans(const SearchSpace& space, const StrategyValues& values) {
  return MostPlansOfSpace(space, GreedyLimitsOf(values));
}

std::unique_ptr<SearchStrategy> MakeGreedyStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options) {
  return std::make_unique<GreedyStrategy>(space, GreedyLimitsOf(options.values));
}

}  // namespace halftone
