#include "search/strategies/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "search/space/space_point.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

// After so many draws in a row that were proposed before, the next point is the first new one in
// the order of PointWalk. So small spaces are exhausted. Large ones do not get here: 100 repeats in
// a row mean that nearly everything that the distribution reaches has been proposed.
constexpr int kMaxRepeats = 100;

class RandomStrategy : public SearchStrategy {
 public:
  RandomStrategy(const SearchSpace& space, std::uint64_t seed)
      : space_(space), rng_(seed), walk_(space) {}

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count) {
      const auto point = NextPoint();
      if (!point) {
        break;
      }
      candidates.push_back(CandidateAt(space_, *point));
    }
    return candidates;
  }

  void Update(std::span<const Trial> /*finished*/) override {}  // outcomes do not matter

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{.work_plan = "plans drawn from " + space_.ChoicesText(),
                    .most_plans = space_.size()};
  }

 private:
  std::optional<SpacePoint> NextPoint() {
    if (space_.modes.empty() || space_.impl_mode_sets.empty()) {
      return std::nullopt;
    }
    if (global_modes_ < space_.modes.size()) {
      SpacePoint point;
      point.mode = global_modes_++;
      proposed_.insert(point);
      return point;
    }
    for (int repeats = 0; repeats < kMaxRepeats; ++repeats) {
      SpacePoint point = Draw();
      if (proposed_.insert(point).second) {
        return point;
      }
    }
    while (auto point = walk_.Next()) {
      if (proposed_.insert(*point).second) {
        return point;
      }
    }
    return std::nullopt;
  }

  SpacePoint Draw() {
    SpacePoint point;
    point.mode = rng_.Below(space_.modes.size());
    point.impl_mode_set = rng_.Below(space_.impl_mode_sets.size());
    const std::size_t nodes = space_.keepable_nodes.size();
    const double size = std::pow(static_cast<double>(nodes + 1), rng_.Uniform());  // 1 .. nodes + 1
    std::vector<std::size_t> order(nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng_.Shuffle(std::span(order));
    order.resize(std::min(nodes, static_cast<std::size_t>(std::lround(size)) - 1));
    std::sort(order.begin(), order.end());
    point.kept = std::move(order);
    return point;
  }

  SearchSpace space_;
  Rng rng_;
  PointWalk walk_;
  std::set<SpacePoint> proposed_;
  std::size_t global_modes_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeRandomStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options) {
  return std::make_unique<RandomStrategy>(space, options.seed);
}

}  // namespace halftone
