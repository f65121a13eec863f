// What every strategy promises (search/strategies/strategy.h), for those that look into the
// network: they get one whose measurements and probes are computed from the plan.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/space/tunable_node.h"
#include "search/strategies/strategy.h"
#include "src/precision/resolve/resolve.h"
#include "tests/search/proposals.h"
#include "tests/support/chain_network.h"
#include "tests/support/planted_prober.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using testing::Distinct;
using testing::FakeMeasurer;
using testing::PlantedProber;
using testing::Proposals;
using testing::RunToTheEnd;

// A strategy with all that it looks at.
class Subject {
 public:
  Subject(const StrategyRow& row, int pairs, std::uint64_t seed = 1,
          const StrategyValues& values = {})
      : graph_(ChainNetwork(pairs)),
        strategy_(row.make(space_, {.seed = seed,
                                    .network = StrategyNetwork{&graph_, &target_, &prober_},
                                    .goal = {},
                                    .values = values})) {}

  SearchStrategy& operator*() { return *strategy_; }

  SearchStrategy* operator->() { return strategy_.get(); }

  [[nodiscard]] const SearchSpace& space() const { return space_; }

  Trial Measured(const Candidate& candidate) {
    const PrecisionPlan plan = ResolvePrecision(graph_, candidate.options, target_);
    Trial trial{.candidate = candidate,
                .plan_digest = plan.Digest(),
                .low_precision_nodes = {},
                .kept_nodes = {},
                .outcome = Rejection{}};
    FillNodeNames(graph_, plan, trial);
    std::visit([&](auto outcome) { trial.outcome = std::move(outcome); }, measurer_.Measure(plan));
    return trial;
  }

  Trial Rejected(const Candidate& candidate) {
    Trial trial = Measured(candidate);
    trial.outcome = Rejection{"overflow"};
    return trial;
  }

  Proposals ToTheEnd(std::size_t max_count) {
    return RunToTheEnd(*strategy_, max_count, [this](const Candidate& c) { return Measured(c); });
  }

 private:
  Graph graph_;
  TargetSpec target_ = ChainTarget();
  SearchSpace space_ = MakeSearchSpace(graph_, target_);
  FakeMeasurer measurer_{graph_};
  PlantedProber prober_{measurer_, 1};
  std::unique_ptr<SearchStrategy> strategy_;
};

class NetworkStrategyConformance : public ::testing::TestWithParam<StrategyRow> {};

TEST_P(NetworkStrategyConformance, NeverRepeatsAndEndsWithinWhatItSays) {
  // Few groups of operators, which are searched on, and more.
  for (const int pairs : {1, 3, 10}) {
    Subject subject(GetParam(), pairs);
    const Forecast forecast = subject->forecast().value();
    EXPECT_FALSE(forecast.work_plan.empty());
    const Proposals run = subject.ToTheEnd(3);  // each resolves, or it would throw
    EXPECT_TRUE(Distinct(run.proposed)) << pairs;
    EXPECT_EQ(run.counts.back(), 0U) << "must end";
    EXPECT_GE(run.proposed.size(), subject.space().modes.size());
    EXPECT_GT(forecast.most_plans, 0U);
    EXPECT_LE(run.proposed.size(), forecast.most_plans) << pairs;
    const Forecast after = subject->forecast().value();
    EXPECT_EQ(after.most_plans, forecast.most_plans);
    EXPECT_EQ(after.work_plan, forecast.work_plan);
  }
}

TEST_P(NetworkStrategyConformance, KeepsItsPromisesAtTheLimitsOfEveryOption) {
  for (const StrategyOption& option : GetParam().options) {
    for (const std::size_t value : {option.least, option.most}) {
      Subject subject(GetParam(), 1, 1, {{std::string(option.name), value}});
      const std::size_t most = subject->forecast().value().most_plans;
      const Proposals run = subject.ToTheEnd(3);
      EXPECT_TRUE(Distinct(run.proposed)) << option.name << "=" << value;
      EXPECT_EQ(run.counts.back(), 0U) << option.name << "=" << value;
      EXPECT_LE(run.proposed.size(), most) << option.name << "=" << value;
    }
  }
}

TEST_P(NetworkStrategyConformance, HasInsightIntoTheNetwork) {
  Subject subject(GetParam(), 3);
  ASSERT_NE(subject->insight(), nullptr);
  EXPECT_FALSE(subject->insight()->facts().groups.empty());
  EXPECT_TRUE(subject->insight()->facts().predictions.empty());
}

TEST_P(NetworkStrategyConformance, ObeysMaxCount) {
  for (const std::size_t max_count : {1U, 2U, 7U}) {
    const Proposals run = Subject(GetParam(), 3).ToTheEnd(max_count);
    EXPECT_LE(*std::max_element(run.counts.begin(), run.counts.end()), max_count);
  }
}

TEST_P(NetworkStrategyConformance, SameSeedAndMeasurementsSameProposals) {
  for (const int pairs : {1, 3}) {
    EXPECT_EQ(Subject(GetParam(), pairs, 42).ToTheEnd(3).proposed,
              Subject(GetParam(), pairs, 42).ToTheEnd(3).proposed);
  }
}

TEST_P(NetworkStrategyConformance, SurvivesRejections) {
  Subject subject(GetParam(), 3);
  const Proposals run =
      RunToTheEnd(*subject, 2, [&](const Candidate& c) { return subject.Rejected(c); });
  EXPECT_TRUE(Distinct(run.proposed));
  EXPECT_EQ(run.counts.back(), 0U);
}

TEST_P(NetworkStrategyConformance, StartsWithNothingKept) {
  Subject subject(GetParam(), 3);
  for (std::size_t i = 0; i < subject.space().modes.size(); ++i) {
    const auto candidates = subject->Suggest(1);
    ASSERT_EQ(candidates.size(), 1U);
    EXPECT_TRUE(candidates[0].options.keep_dtype.empty());
    subject->Update(std::vector<Trial>{subject.Measured(candidates[0])});
  }
}

std::vector<StrategyRow> NetworkStrategies() {
  std::vector<StrategyRow> rows;
  std::ranges::copy_if(AllStrategies(), std::back_inserter(rows), &StrategyRow::needs_network);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(AllStrategies, NetworkStrategyConformance,
                         ::testing::ValuesIn(NetworkStrategies()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
