// Limits on the time of a search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <vector>

#include "search/confirm_front.h"
#include "search/trial/pareto_front.h"
#include "tests/search/tuner_fixture.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::FakeMeasurer;
using ::testing::HasSubstr;
using testing::TunerTest;

TEST_F(TunerTest, StopsAtTheTimeLimit) {
  double now = 0;
  hooks_.elapsed_s = [&] { return now += 1; };
  const Confirmed result = Tune({.time_limit = std::chrono::seconds(4)});
  EXPECT_EQ(now, 4) << "asked before each candidate";
  EXPECT_FALSE(result.trials.empty());
  EXPECT_EQ(result.stop_reason, "time limit of 4 s reached");
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

// A measurement takes 1 s and a confirmation 3 s, of which the search leaves one.
TEST_F(TunerTest, WhatThereIsNoTimeToConfirmStaysUnconfirmed) {
  measurer_.confirm_s = 3;
  hooks_.elapsed_s = [&] {
    return static_cast<double>(measurer_.measured.size() + 3 * measurer_.confirmed.size());
  };
  const Confirmed result = Tune({.time_limit = std::chrono::seconds(60), .confirm_s = 1});
  EXPECT_LE(hooks_.elapsed_s(), 60);
  EXPECT_GE(measurer_.confirmed.size(), 2U);
  EXPECT_EQ(result.end, SearchEnd::kTime);
  EXPECT_THAT(result.stop_reason, HasSubstr("; no time was left to confirm "));
  const std::vector<std::size_t> front = ParetoFront(result.trials);
  EXPECT_TRUE(result.trials[front.front()].measurement()->confirmed) << "the ends come first";
  EXPECT_TRUE(result.trials[front.back()].measurement()->confirmed);
  EXPECT_TRUE(std::ranges::any_of(
      front, [&](std::size_t i) { return !result.trials[i].measurement()->confirmed; }));
}

// Time for one confirmation: the member that the user gets has it, wherever it stands.
TEST_F(TunerTest, WhatIsChosenIsConfirmedFirst) {
  measurer_.confirm_s = 3;
  hooks_.elapsed_s = [&] {
    return static_cast<double>(measurer_.measured.size() + 3 * measurer_.confirmed.size());
  };
  for (const std::size_t place : {1U, 2U}) {
    measurer_.measured.clear();
    measurer_.confirmed.clear();
    hooks_.choose = [&](std::span<const Trial> front) {
      return place < front.size() ? std::optional(place) : std::nullopt;
    };
    const Confirmed result = Tune({.time_limit = std::chrono::seconds(60), .confirm_s = 1});
    ASSERT_GT(result.front.size(), place + 1);
    EXPECT_TRUE(result.trials[result.front[place]].measurement()->confirmed);
    EXPECT_EQ(measurer_.confirmed.front(), result.trials[result.front[place]].plan_digest);
  }
}

TEST_F(TunerTest, WhatFollowsHasItsShareOfTheTime) {
  measurer_.confirm_s = 3;
  hooks_.elapsed_s = [&] {
    return static_cast<double>(measurer_.measured.size() + 3 * measurer_.confirmed.size());
  };
  const Confirmed result =
      Tune({.time_limit = std::chrono::seconds(60), .confirm_s = 3, .after_s = 20});
  EXPECT_LE(hooks_.elapsed_s(), 40);
  EXPECT_GE(measurer_.confirmed.size(), 2U);
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

// A plan takes 4 s and a confirmation 3 s: none begins that would end behind the limit, and float32
// has its time.
TEST_F(TunerTest, NothingBeginsThatWouldEndBehindTheLimit) {
  measurer_.confirm_s = 3;
  hooks_.elapsed_s = [&] {
    return static_cast<double>(4 * measurer_.measured.size() + 3 * measurer_.confirmed.size());
  };
  for (const int limit : {9, 14, 25, 60, 121}) {
    measurer_.measured.clear();
    measurer_.confirmed.clear();
    const Confirmed result = Tune({.time_limit = std::chrono::seconds(limit),
                                   .confirm_s = 3,
                                   .most_confirm_s = 0.35 * limit,
                                   .plan_s = 4});
    EXPECT_LE(hooks_.elapsed_s(), limit);
    EXPECT_GE(hooks_.elapsed_s(), limit - 2 * 4 - 3);
    EXPECT_FALSE(result.front.empty());
  }
}

// Hands out the candidates of another strategy and looks whether each comes back once.
class Watched : public SearchStrategy {
 public:
  explicit Watched(std::unique_ptr<SearchStrategy> inner) : inner_(std::move(inner)) {}

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    EXPECT_TRUE(out_.empty()) << "all come back before more are asked for";
    out_ = inner_->Suggest(max_count);
    return out_;
  }

  void Update(std::span<const Trial> finished) override {
    for (const Trial& trial : finished) {
      const auto found = std::ranges::find(out_, trial.candidate);
      ASSERT_NE(found, out_.end());
      out_.erase(found);
    }
    inner_->Update(finished);
  }

 private:
  std::unique_ptr<SearchStrategy> inner_;
  std::vector<Candidate> out_;
};

// A confirmation takes 1 s where 6 were reserved: the search goes on with the rest.
TEST_F(TunerTest, TimeThatConfirmationsLeftIsSearchedIn) {
  const Graph graph = ChainNetwork(6);
  FakeMeasurer measurer(graph);
  const TuneProblem problem{graph, target_, MakeSearchSpace(graph, target_)};
  for (const std::size_t batch : {1U, 5U}) {
    measurer.measured.clear();
    measurer.confirmed.clear();
    const auto elapsed_s = [&] {
      return static_cast<double>(measurer.measured.size() + measurer.confirmed.size());
    };
    Watched strategy(MakeStrategy("random", problem.space));
    const Confirmed result = RunTuner(
        problem, strategy, measurer,
        {.max_trials = 10'000,
         .time_limit = std::chrono::seconds(200),
         .confirm_s = 6,
         .batch = batch},
        {}, {.on_trial = {}, .on_progress = {}, .stop_requested = {}, .elapsed_s = elapsed_s});
    EXPECT_LE(elapsed_s(), 200);
    EXPECT_GE(elapsed_s(), 0.95 * 200) << "0.85 is promised";
    EXPECT_EQ(result.end, SearchEnd::kTime);
    EXPECT_EQ(UnconfirmedOf(result.trials), 0U);
    EXPECT_EQ(result.front, DistinctFront(result.trials));
    EXPECT_EQ(result.measured, measurer.measured.size());
    const std::set<Hash128> distinct(measurer.measured.begin(), measurer.measured.end());
    EXPECT_EQ(distinct.size(), measurer.measured.size()) << "none is measured twice";
  }
}

// Plans that take longer than was estimated: what is left is compared with the slowest of them.
TEST_F(TunerTest, PlansThatAreSlowerThanEstimatedAreLearntFrom) {
  measurer_.confirm_s = 3;
  hooks_.elapsed_s = [&] {
    return static_cast<double>(20 * measurer_.measured.size() + 3 * measurer_.confirmed.size());
  };
  const Confirmed result = Tune({.time_limit = std::chrono::seconds(90),
                                 .confirm_s = 3,
                                 .most_confirm_s = 0.35 * 90,
                                 .plan_s = 1});
  EXPECT_LE(hooks_.elapsed_s(), 90);
  EXPECT_GE(measurer_.measured.size(), 2U);
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

// A plan that is known to take longer than what is left is not measured, float32 neither.
TEST_F(TunerTest, NotEvenFloat32BeginsBehindTheLimit) {
  hooks_.elapsed_s = [&] { return 80.0 + static_cast<double>(20 * measurer_.measured.size()); };
  const Confirmed result =
      Tune({.time_limit = std::chrono::seconds(90), .confirm_s = 3, .plan_s = 20});
  EXPECT_TRUE(measurer_.measured.empty());
  EXPECT_TRUE(result.trials.empty());
  EXPECT_TRUE(result.front.empty());
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

TEST_F(TunerTest, SaysWhichPhaseBegins) {
  std::vector<TunerProgress::Phase> phases;
  hooks_.on_phase = [&](TunerProgress::Phase phase) { phases.push_back(phase); };
  Tune({.max_trials = 3});
  EXPECT_EQ(phases, (std::vector{TunerProgress::Phase::kSearch, TunerProgress::Phase::kConfirm}));
}

// Whatever came before took all of the time: float32 is measured nevertheless.
TEST_F(TunerTest, ALimitThatIsOverBeforeTheSearchLeavesFloat32) {
  hooks_.elapsed_s = [] { return 100.0; };
  const Confirmed result = Tune({.time_limit = std::chrono::seconds(60), .confirm_s = 3});
  ASSERT_EQ(result.trials.size(), 1U);
  EXPECT_EQ(result.trials[0].candidate.options.precision_mode, "must_keep_origin_dtype");
  EXPECT_EQ(result.front.size(), 1U);
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

}  // namespace
}  // namespace halftone
