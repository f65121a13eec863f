// What every strategy promises (search/strategies/strategy.h): one suite over the table.
#include "search/strategies/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "search/strategies/exhaustive.h"
#include "src/base/error.h"
#include "tests/search/proposals.h"

namespace halftone {
namespace {

using testing::Distinct;
using testing::Proposals;
using testing::RunToTheEnd;

SearchSpace SmallSpace(std::size_t nodes) {
  SearchSpace space;
  space.modes = {"allow_mix_precision_bf16", "force_fp16", "must_keep_origin_dtype"};
  for (std::size_t i = 0; i < nodes; ++i) {
    space.keepable_nodes.push_back("node" + std::to_string(i));
  }
  space.impl_mode_sets = {
      {.name = "default", .given = false, .by_type = {}},
      {.name = "high_precision",
       .given = true,
       .by_type = {{"Conv2D", ImplMode::kHighPrecision}, {"Exp", ImplMode::kHighPrecision}}}};
  space.pinned_keep_dtype = {"pinned"};
  return space;
}

// An outcome that follows from the candidate alone: fewer kept nodes are faster and less exact.
Trial TrialOf(const Candidate& candidate) {
  const auto kept = static_cast<double>(candidate.options.keep_dtype.size());
  const bool lowers = candidate.options.precision_mode != "must_keep_origin_dtype";
  Measurement measurement;
  measurement.latency.ratio = lowers ? 0.5 + 0.05 * kept : 1;
  const double loss = lowers ? 0.1 / (1 + kept) : 0;
  measurement.accuracy.metrics = {{"rel_l2", loss, loss, 0}};
  Trial trial{.candidate = candidate,
              .plan_digest = {},
              .low_precision_nodes = {},
              .kept_nodes = {},
              .outcome = measurement};
  if (lowers) {
    trial.low_precision_nodes = {"some"};
  }
  return trial;
}

Trial RejectedTrialOf(const Candidate& candidate) {
  return {.candidate = candidate,
          .plan_digest = {},
          .low_precision_nodes = {},
          .kept_nodes = {},
          .outcome = Rejection{"overflow"}};
}

class StrategyConformance : public ::testing::TestWithParam<StrategyRow> {
 protected:
  static std::unique_ptr<SearchStrategy> Make(const SearchSpace& space, std::uint64_t seed = 1) {
    return GetParam().make(space, {.seed = seed});
  }
};

TEST_P(StrategyConformance, ProposesLegalCandidates) {
  const SearchSpace space = SmallSpace(4);
  const auto strategy = Make(space);
  for (const Candidate& candidate : RunToTheEnd(*strategy, 4, TrialOf).proposed) {
    const PrecisionOptions& options = candidate.options;
    EXPECT_NE(std::find(space.modes.begin(), space.modes.end(), options.precision_mode),
              space.modes.end());
    EXPECT_NE(std::find(options.keep_dtype.begin(), options.keep_dtype.end(), "pinned"),
              options.keep_dtype.end());
    EXPECT_TRUE(std::is_sorted(options.keep_dtype.begin(), options.keep_dtype.end()));
    for (const std::string& kept : options.keep_dtype) {
      EXPECT_TRUE(kept == "pinned" ||
                  std::find(space.keepable_nodes.begin(), space.keepable_nodes.end(), kept) !=
                      space.keepable_nodes.end())
          << kept;
    }
    EXPECT_TRUE(std::any_of(space.impl_mode_sets.begin(), space.impl_mode_sets.end(),
                            [&](const ImplModeSet& set) {
                              return set.given == options.op_precision_given &&
                                     set.by_type == options.impl_mode_by_type;
                            }));
  }
}

TEST_P(StrategyConformance, NeverRepeatsAndEnds) {
  for (const std::size_t nodes : {0U, 1U, 4U}) {
    const SearchSpace space = SmallSpace(nodes);
    const Proposals run = RunToTheEnd(*Make(space), 3, TrialOf);
    EXPECT_TRUE(Distinct(run.proposed));
    EXPECT_LE(run.proposed.size(), space.size());
    EXPECT_EQ(run.counts.back(), 0U) << "must end";
    EXPECT_GE(run.proposed.size(), space.modes.size()) << "must try the global modes";
  }
}

TEST_P(StrategyConformance, ObeysMaxCount) {
  for (const std::size_t max_count : {1U, 2U, 7U}) {
    const Proposals run = RunToTheEnd(*Make(SmallSpace(3)), max_count, TrialOf);
    EXPECT_LE(*std::max_element(run.counts.begin(), run.counts.end()), max_count);
  }
}

TEST_P(StrategyConformance, ProposesNoMoreThanItSays) {
  for (const std::size_t nodes : {0U, 1U, 2U, 5U, 9U}) {
    const auto strategy = Make(SmallSpace(nodes));
    const Forecast forecast = strategy->forecast().value();
    EXPECT_GT(forecast.most_plans, 0U);
    EXPECT_FALSE(forecast.work_plan.empty());
    EXPECT_LE(RunToTheEnd(*strategy, 3, TrialOf).proposed.size(), forecast.most_plans) << nodes;
    const Forecast after = strategy->forecast().value();
    EXPECT_EQ(after.most_plans, forecast.most_plans);
    EXPECT_EQ(after.work_plan, forecast.work_plan);
  }
}

TEST_P(StrategyConformance, KeepsItsPromisesAtTheLimitsOfEveryOption) {
  for (const StrategyOption& option : GetParam().options) {
    for (const std::size_t value : {option.least, option.most}) {
      const SearchSpace space = SmallSpace(4);
      const auto strategy = GetParam().make(space, {.values = {{std::string(option.name), value}}});
      const std::size_t most = strategy->forecast().value().most_plans;
      const Proposals run = RunToTheEnd(*strategy, 3, TrialOf);
      EXPECT_TRUE(Distinct(run.proposed)) << option.name << "=" << value;
      EXPECT_EQ(run.counts.back(), 0U) << option.name << "=" << value;
      EXPECT_GE(run.proposed.size(), space.modes.size()) << option.name << "=" << value;
      EXPECT_LE(run.proposed.size(), most) << option.name << "=" << value;
    }
  }
}

TEST_P(StrategyConformance, HasNoInsightIntoTheNetwork) {
  EXPECT_EQ(Make(SmallSpace(1))->insight(), nullptr);
}

TEST_P(StrategyConformance, SameSeedSameProposals) {
  const SearchSpace space = SmallSpace(5);
  const auto first = RunToTheEnd(*Make(space, 42), 3, TrialOf).proposed;
  const auto second = RunToTheEnd(*Make(space, 42), 3, TrialOf).proposed;
  EXPECT_EQ(first, second);
}

TEST_P(StrategyConformance, SurvivesRejections) {
  const Proposals run = RunToTheEnd(*Make(SmallSpace(4)), 2, RejectedTrialOf);
  EXPECT_TRUE(Distinct(run.proposed));
  EXPECT_EQ(run.counts.back(), 0U);
}

TEST_P(StrategyConformance, StartsWithNothingKept) {
  const SearchSpace space = SmallSpace(4);
  const auto strategy = Make(space);
  for (std::size_t i = 0; i < space.modes.size(); ++i) {
    const auto candidates = strategy->Suggest(1);
    ASSERT_EQ(candidates.size(), 1U);
    EXPECT_EQ(candidates[0].options.keep_dtype, space.pinned_keep_dtype);
    strategy->Update(std::vector<Trial>{TrialOf(candidates[0])});
  }
}

// Those that look at nothing but outcomes; network_strategy_test.cc has the others.
std::vector<StrategyRow> BlindStrategies() {
  std::vector<StrategyRow> rows;
  std::ranges::copy_if(AllStrategies(), std::back_inserter(rows),
                       [](const StrategyRow& row) { return !row.needs_network; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(AllStrategies, StrategyConformance, ::testing::ValuesIn(BlindStrategies()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ExhaustiveStrategyTest, ProposesTheWholeSpaceSmallKeepSetsFirst) {
  const SearchSpace space = SmallSpace(4);
  const auto run = RunToTheEnd(*MakeStrategy("exhaustive", space), 10, TrialOf);
  EXPECT_EQ(run.proposed.size(), 3U * 2U * 16U);
  EXPECT_TRUE(std::is_sorted(run.proposed.begin(), run.proposed.end(),
                             [](const Candidate& a, const Candidate& b) {
                               return a.options.keep_dtype.size() < b.options.keep_dtype.size();
                             }));
}

TEST(ExhaustiveStrategyTest, RefusesALargeSpace) {
  try {
    MakeStrategy("exhaustive", SmallSpace(11));  // 3 x 2 x 2048 = 12288
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(
        error.what(),
        "the strategy 'exhaustive' takes at most 10000 candidates, this network has 3 modes "
        "x 2^11 keep_dtype sets x 2 implementation-mode sets: use --strategy=greedy, or pin modes "
        "and nodes");
  }
}

TEST(RandomStrategyTest, ExhaustsASmallSpace) {
  const SearchSpace space = SmallSpace(4);
  EXPECT_EQ(RunToTheEnd(*MakeStrategy("random", space), 10, TrialOf).proposed.size(), space.size());
}

TEST(RandomStrategyTest, SeedsDiffer) {
  const SearchSpace space = SmallSpace(20);
  const auto first = RunToTheEnd(*MakeStrategy("random", space, {.seed = 1}), 5, TrialOf, 50);
  const auto second = RunToTheEnd(*MakeStrategy("random", space, {.seed = 2}), 5, TrialOf, 50);
  EXPECT_NE(first.proposed, second.proposed);
}

// The number of kept nodes is round(51^u) - 1 with u uniform (search/strategies/random.h). Sets of
// fewer than two nodes run out (no point comes twice), so they are left out: of the others, those
// of at most 6 nodes are binomial with p = log(7.5 / 2.5) / log(51 / 2.5) = 0.364. Bound: five
// standard deviations.
TEST(RandomStrategyTest, KeepSetSizesAreLogUniform) {
  const SearchSpace space = SmallSpace(50);
  const auto run = RunToTheEnd(*MakeStrategy("random", space), 1, TrialOf, 1000);
  double count = 0;
  double small = 0;
  for (const Candidate& candidate : run.proposed) {
    const std::size_t kept = candidate.options.keep_dtype.size() - space.pinned_keep_dtype.size();
    count += kept >= 2 ? 1 : 0;
    small += kept >= 2 && kept <= 6 ? 1 : 0;
  }
  const double p = std::log(7.5 / 2.5) / std::log(51 / 2.5);
  EXPECT_GT(count, 500);
  EXPECT_NEAR(small, p * count, 5 * std::sqrt(p * (1 - p) * count));
}

TEST(StrategyTableTest, MakesWhatTheTextChooses) {
  const SearchSpace space = SmallSpace(9);
  const std::size_t usual = MakeStrategy("greedy", space)->forecast().value().most_plans;
  const auto few = MakeStrategy("greedy:probes=4", space);
  const std::size_t most = few->forecast().value().most_plans;
  EXPECT_LT(most, usual);
  EXPECT_LE(RunToTheEnd(*few, 3, TrialOf).proposed.size(), most);
}

TEST(StrategyTableTest, DefaultDependsOnSize) {
  EXPECT_EQ(DefaultStrategy(SmallSpace(10)), "exhaustive");  // 6144
  EXPECT_EQ(DefaultStrategy(SmallSpace(11)), "greedy");
}

}  // namespace
}  // namespace halftone
