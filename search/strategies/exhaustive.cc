#include "search/strategies/exhaustive.h"

#include <fmt/format.h>

#include "search/space/space_point.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

class ExhaustiveStrategy : public SearchStrategy {
 public:
  explicit ExhaustiveStrategy(const SearchSpace& space) : space_(space), walk_(space) {}

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count) {
      const auto point = walk_.Next();
      if (!point) {
        break;
      }
      candidates.push_back(CandidateAt(space_, *point));
    }
    return candidates;
  }

  void Update(std::span<const Trial> /*finished*/) override {}  // the order is fixed

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{
        .work_plan = fmt::format("all of {}",
                                 Counted(static_cast<std::int64_t>(space_.size()), "candidate")),
        .most_plans = space_.size()};
  }

 private:
  SearchSpace space_;
  PointWalk walk_;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeExhaustiveStrategy(const SearchSpace& space,
                                                       const StrategyOptions& /*options*/) {
  if (space.size() > kLargestExhaustiveSpace) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the strategy 'exhaustive' takes at most {} candidates, this network "
                            "has {}: use --strategy=greedy, or pin modes and nodes",
                            kLargestExhaustiveSpace, space.ChoicesText()));
  }
  return std::make_unique<ExhaustiveStrategy>(space);
}

}  // namespace halftone
