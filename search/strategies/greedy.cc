#include "search/strategies/greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <optional>

#include "search/space/mode_format.h"
#include "search/strategies/global_points.h"
#include "search/strategies/keep_set_search.h"
#include "search/strategies/ledger.h"
#include "src/base/text.h"

namespace halftone {
namespace {

class GreedyStrategy : public SearchStrategy {
 public:
  explicit GreedyStrategy(const SearchSpace& space) : ledger_(space) { ProposeBases(); }

  [[nodiscard]] std::string WorkPlan() const override {
    return fmt::format(
        "{} of the whole network, then single operators and growing sets of {} in float32",
        Counted(std::ssize(GlobalPoints(ledger_.space())), "plan"),
        Counted(std::ssize(ledger_.space().keepable_nodes), "operator"));
  }

  [[nodiscard]] std::size_t MostPlans() const override { return MostGreedyPlans(ledger_.space()); }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count) {
      if (!ledger_.queue_empty()) {
        candidates.push_back(ledger_.Take());
      } else if (!candidates.empty() || !Advance()) {
        break;  // the next stage needs the results of these
      }
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override { ledger_.Record(finished); }

 private:
  enum class Stage { kBases, kKeepSets, kTypes, kDone };

  // Proposes points of the next stage, possibly none new; false when all stages are over.
  bool Advance() {
    switch (stage_) {
      case Stage::kBases:
        for (const Point& base : ChooseBases()) {
          searches_.emplace_back(ledger_, base);
        }
        stage_ = Stage::kKeepSets;
        return true;
      case Stage::kKeepSets:
        if (searches_.empty()) {
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

  void ProposeBases() {
    for (const Point& point : GlobalPoints(ledger_.space())) {
      ledger_.Propose(point);
    }
  }

  // The fastest base of each 16-bit type, then the front, fastest first: bases that lower
  // something, one per mode, none twice under two names. A type whose bases are all rejected
  // (overflow is what keep sets are for) takes part with its first mode.
  std::vector<Point> ChooseBases() {
    std::vector<Point> by_speed = ledger_.Measured();
    std::erase_if(by_speed, [&](const Point& point) { return !ledger_.UsesLowPrecision(point); });
    std::stable_sort(by_speed.begin(), by_speed.end(), [&](const Point& a, const Point& b) {
      return ledger_.At(a).latency_ratio < ledger_.At(b).latency_ratio;
    });
    std::vector<Point> wanted;
    std::vector<Point> rejected;
    for (const NumericFormat format : FormatsOfModes()) {
      const auto fastest = std::find_if(by_speed.begin(), by_speed.end(), [&](const Point& point) {
        return FormatOfMode(ledger_.space().modes[point.mode]) == format;
      });
      if (fastest != by_speed.end()) {
        wanted.push_back(*fastest);
      } else if (const auto point = FirstRejected(format)) {
        rejected.push_back(*point);
      }
    }
    for (const Point& point : ledger_.Front()) {
      if (ledger_.UsesLowPrecision(point)) {
        wanted.push_back(point);
      }
    }
    wanted.insert(
        wanted.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, wanted.size())),
        rejected.begin(), rejected.end());
    return Distinct(wanted);
  }

  [[nodiscard]] std::optional<Point> FirstRejected(NumericFormat format) const {
    for (std::size_t mode = 0; mode < ledger_.space().modes.size(); ++mode) {
      const Point point{mode, 0, {}};
      if (FormatOfMode(ledger_.space().modes[mode]) == format && ledger_.At(point) == kRejected) {
        return point;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<Point> Distinct(const std::vector<Point>& wanted) const {
    std::vector<Point> bases;
    for (const Point& point : wanted) {
      // Equal to the last digit: two modes that resolve to one plan.
      const bool known = std::any_of(bases.begin(), bases.end(), [&](const Point& base) {
        return base.mode == point.mode ||
               (ledger_.At(base) == ledger_.At(point) && ledger_.At(base) != kRejected);
      });
      if (!known && bases.size() < kMaxBases) {
        bases.push_back(point);
      }
    }
    return bases;
  }

  void ProposeTypes() {
    const SearchSpace& space = ledger_.space();
    std::vector<Point> front = ledger_.Front();
    const std::size_t count = std::min(front.size(), kMaxTypePoints);
    for (std::size_t i = 0; i < count; ++i) {
      Point point = front[i * front.size() / count];  // spread evenly, the fastest first
      for (std::size_t set = 0; set < space.impl_mode_sets.size(); ++set) {
        if (IsSingleType(space, set)) {
          point.impl_mode_set = set;
          ledger_.Propose(point);
        }
      }
    }
  }

  Ledger ledger_;
  std::list<KeepSetSearch> searches_;  // refer to ledger_
  Stage stage_ = Stage::kBases;
};

}  // namespace

std::size_t MostGreedyPlans(const SearchSpace& space) {
  std::size_t types = 0;
  for (std::size_t set = 0; set < space.impl_mode_sets.size(); ++set) {
    types += IsSingleType(space, set) ? 1 : 0;
  }
  return GlobalPoints(space).size() +
         std::min(kMaxBases, space.modes.size()) *
             KeepSetSearch::MostPlans(space.keepable_nodes.size()) +
         kMaxTypePoints * types;
}

std::unique_ptr<SearchStrategy> MakeGreedyStrategy(const SearchSpace& space,
                                                   const StrategyOptions& /*options*/) {
  return std::make_unique<GreedyStrategy>(space);
}

}  // namespace halftone
