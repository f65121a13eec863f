#include "search/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "search/confirm_front.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using testing::FakeMeasurer;
using ::testing::HasSubstr;

class TunerTest : public ::testing::Test {
 protected:
  Confirmed Tune(const TunerOptions& options = {}, std::span<const Trial> known = {}) {
    auto strategy = MakeStrategy("exhaustive", problem_.space);
    return RunTuner(problem_, *strategy, measurer_, options, known, hooks_);
  }

  Graph graph_ = ChainNetwork(2);
  TargetSpec target_ = ChainTarget();
  TuneProblem problem_{graph_, target_, MakeSearchSpace(graph_, target_)};
  FakeMeasurer measurer_{graph_};
  std::vector<Trial> stored_;
  TunerHooks hooks_{.on_trial = [this](const Trial& trial) { stored_.push_back(trial); },
                    .on_progress = {},
                    .stop_requested = {},
                    .elapsed_s = {}};
};

TEST_F(TunerTest, MeasuresEveryPlanOnce) {
  const Confirmed result = Tune({.max_trials = 10'000});
  EXPECT_EQ(result.stop_reason, "nothing left to propose");
  const std::set<Hash128> distinct(measurer_.measured.begin(), measurer_.measured.end());
  EXPECT_EQ(distinct.size(), measurer_.measured.size());
  EXPECT_EQ(result.measured, measurer_.measured.size());
  EXPECT_EQ(result.trials.size(), result.measured) << "plans that resolve equal are one trial";
  EXPECT_LT(result.measured, problem_.space.size()) << "must_keep_origin_dtype ignores keep sets";
}

TEST_F(TunerTest, FrontIsConfirmedAndStored) {
  const Confirmed result = Tune({.max_trials = 30});
  ASSERT_FALSE(result.front.empty());
  for (const std::size_t i : result.front) {
    EXPECT_TRUE(result.trials[i].measurement()->confirmed);
  }
  EXPECT_EQ(stored_.size(), result.measured + measurer_.confirmed.size());
  EXPECT_TRUE(stored_.back().measurement()->confirmed);
}

// Confirmation makes members slower than they looked: those below them come up and are confirmed
// too, until the front stands on confirmed numbers only.
TEST_F(TunerTest, ConfirmsUntilTheFrontStandsStill) {
  measurer_.confirm_factor = 1.5;
  const Confirmed result = Tune({.max_trials = 40});
  for (const std::size_t i : result.front) {
    EXPECT_TRUE(result.trials[i].measurement()->confirmed);
  }
  EXPECT_EQ(result.front, DistinctFront(result.trials));
  EXPECT_GE(measurer_.confirmed.size(), result.front.size());
  const std::set<Hash128> distinct(measurer_.confirmed.begin(), measurer_.confirmed.end());
  EXPECT_EQ(distinct.size(), measurer_.confirmed.size()) << "at most once each";
}

TEST_F(TunerTest, KnownTrialsAreNotMeasured) {
  const Confirmed first = Tune({.max_trials = 20});
  measurer_.measured.clear();
  measurer_.confirmed.clear();
  stored_.clear();
  const Confirmed second = Tune({.max_trials = 20}, first.trials);
  EXPECT_TRUE(measurer_.measured.empty());
  EXPECT_TRUE(measurer_.confirmed.empty()) << "the front was confirmed before";
  EXPECT_TRUE(stored_.empty()) << "what is known is not stored again";
  EXPECT_EQ(second.measured, 0U);
  EXPECT_EQ(second.known, 20U);
  EXPECT_EQ(second.trials, first.trials);
  EXPECT_EQ(second.front, first.front);
}

// A run that is cut off at any point and started again measures what is missing and ends like one
// that was not.
TEST_F(TunerTest, ContinuesAfterBeingKilled) {
  const Confirmed whole = Tune({.max_trials = 25});
  for (const std::size_t kept : {1U, 7U, 24U}) {
    measurer_.measured.clear();
    const std::vector<Trial> known(stored_.begin(), stored_.begin() + kept);
    auto strategy = MakeStrategy("exhaustive", problem_.space);
    const Confirmed rest = RunTuner(problem_, *strategy, measurer_, {.max_trials = 25}, known, {});
    EXPECT_EQ(measurer_.measured.size(), 25 - kept);
    EXPECT_EQ(rest.trials, whole.trials);
    EXPECT_EQ(rest.front, whole.front);
  }
}

TEST_F(TunerTest, StopsWhenAskedAndKeepsAll) {
  int asked = 0;
  hooks_.stop_requested = [&] { return ++asked > 5; };
  const Confirmed result = Tune();
  EXPECT_EQ(result.stop_reason, "interrupted");
  EXPECT_EQ(asked, 6) << "once before each candidate";
  EXPECT_EQ(result.trials.size(), measurer_.measured.size());
  EXPECT_EQ(stored_, result.trials);
  EXPECT_TRUE(measurer_.confirmed.empty());
  EXPECT_FALSE(result.front.empty());
}

TEST_F(TunerTest, StopsAtMaxTrials) {
  const Confirmed result = Tune({.max_trials = 7});
  EXPECT_EQ(result.trials.size(), 7U);
  EXPECT_EQ(result.stop_reason, "max_trials (7) reached");
}

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

// Whatever came before took all of the time: float32 is measured nevertheless.
TEST_F(TunerTest, ALimitThatIsOverBeforeTheSearchLeavesFloat32) {
  hooks_.elapsed_s = [] { return 100.0; };
  const Confirmed result = Tune({.time_limit = std::chrono::seconds(60), .confirm_s = 3});
  ASSERT_EQ(result.trials.size(), 1U);
  EXPECT_EQ(result.trials[0].candidate.options.precision_mode, "must_keep_origin_dtype");
  EXPECT_EQ(result.front.size(), 1U);
  EXPECT_EQ(result.end, SearchEnd::kTime);
}

TEST_F(TunerTest, StopsWhenNoNewPlanTurnsUp) {
  problem_.space.modes = {"must_keep_origin_dtype"};
  problem_.space.impl_mode_sets.resize(1);
  const Confirmed result = Tune({.max_barren = 9});
  EXPECT_EQ(result.trials.size(), 1U);
  EXPECT_EQ(result.stop_reason, "no new plan in 9 candidates");
}

TEST_F(TunerTest, ACandidateThatDoesNotResolveIsARejection) {
  target_.ai_core["SoftmaxV2"].cube = true;
  target_.ai_core.erase("MatMulV2");  // no engine can run it
  const Confirmed result = Tune({.max_barren = 3});
  ASSERT_FALSE(result.trials.empty());
  ASSERT_NE(result.trials[0].rejection(), nullptr);
  EXPECT_THAT(result.trials[0].rejection()->reason, HasSubstr("EZ3003"));
  EXPECT_EQ(result.trials[0].plan_digest, Hash128{});
  EXPECT_TRUE(result.front.empty());
  EXPECT_EQ(stored_, result.trials);

  stored_.clear();
  Tune({.max_barren = 3}, result.trials);
  EXPECT_TRUE(stored_.empty()) << "a known rejection is not stored again";
}

TEST_F(TunerTest, RejectionsOfTheMeasurerStayOutOfTheFront) {
  measurer_.rejects_float16 = {"mm0"};
  const Confirmed result = Tune({.max_trials = 60});
  std::size_t rejected = 0;
  for (const Trial& trial : result.trials) {
    rejected += trial.rejection() != nullptr ? 1 : 0;
  }
  EXPECT_GT(rejected, 0U);
  for (const std::size_t i : result.front) {
    EXPECT_NE(result.trials[i].measurement(), nullptr);
  }
}

// Notes what the candidates race against.
class RacingMeasurer : public FakeMeasurer {
 public:
  using FakeMeasurer::FakeMeasurer;

  std::variant<Measurement, Rejection> Race(const PrecisionPlan& plan,
                                            const RacingBounds& bounds) override {
    to_beat.push_back(bounds.RatioToBeat({1e9, 1e9}));
    return Measure(plan);
  }

  std::vector<double> to_beat;
};

TEST_F(TunerTest, CandidatesRaceAgainstAllThatWasMeasured) {
  RacingMeasurer measurer(graph_);
  auto strategy = MakeStrategy("exhaustive", problem_.space);
  const Confirmed result = RunTuner(problem_, *strategy, measurer, {.max_trials = 12}, {}, hooks_);
  ASSERT_EQ(measurer.to_beat.size(), 12U);
  EXPECT_TRUE(std::isinf(measurer.to_beat.front()));
  double fastest = measurer.to_beat.front();
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(measurer.to_beat[i], fastest) << i;
    fastest = std::min(fastest, std::get<Measurement>(stored_[i].outcome).latency.ratio);
  }
}

class ThrowingMeasurer : public Measurer {
 public:
  explicit ThrowingMeasurer(ErrorKind kind) : kind_(kind) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& /*plan*/) override {
    throw Error(kind_, "no kernel serves node 'mm0'");
  }

  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& /*plan*/) const override {
    return Accuracy{};
  }

  Latency Confirm(const PrecisionPlan& /*plan*/) override { return {}; }

 private:
  ErrorKind kind_;
};

TEST_F(TunerTest, ErrorsOfACandidateBecomeRejectionsOthersLeave) {
  auto strategy = MakeStrategy("exhaustive", problem_.space);
  ThrowingMeasurer unsupported(ErrorKind::kUnsupported);
  const Confirmed result =
      RunTuner(problem_, *strategy, unsupported, {.max_trials = 3}, {}, hooks_);
  EXPECT_EQ(result.trials[0].rejection()->reason, "no kernel serves node 'mm0'");
  for (const ErrorKind kind : {ErrorKind::kInternal, ErrorKind::kIo, ErrorKind::kDatabase}) {
    ThrowingMeasurer fatal(kind);
    auto fresh = MakeStrategy("exhaustive", problem_.space);
    EXPECT_THROW(RunTuner(problem_, *fresh, fatal, {}, {}, hooks_), Error);
  }
}

TEST_F(TunerTest, ReportsProgress) {
  std::vector<std::size_t> done;
  std::size_t confirmations = 0;
  hooks_.on_progress = [&](const TunerProgress& progress) {
    ASSERT_NE(progress.last, nullptr);
    EXPECT_LE(progress.done, progress.planned);
    if (progress.phase == TunerProgress::Phase::kSearch) {
      done.push_back(progress.done);
    } else {
      ++confirmations;
    }
  };
  Tune({.max_trials = 5});
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(confirmations, measurer_.confirmed.size());
}

// Whatever ends the search first is what progress counts to.
TEST_F(TunerTest, ProgressCountsToWhatTheSearchCanTake) {
  std::size_t planned = 0;
  hooks_.on_progress = [&](const TunerProgress& progress) {
    if (progress.phase == TunerProgress::Phase::kSearch) {
      planned = progress.planned;
    }
  };
  Tune({.max_trials = 200, .max_evaluations = 12});
  EXPECT_EQ(planned, 12U);
  Tune({.max_trials = 7, .max_evaluations = 12});
  EXPECT_EQ(planned, 7U);
  problem_.space.modes = {"must_keep_origin_dtype"};
  problem_.space.keepable_nodes.clear();
  Tune({.max_trials = 200});
  EXPECT_EQ(planned, problem_.space.size());
}

// Probes cost evaluations, which the search learns while it runs; plans that are known may be free.
TEST(MostPlansTest, TakesTheTightestLimit) {
  class Strategy : public SearchStrategy {
   public:
    explicit Strategy(std::optional<std::size_t> most) : most_(most) {}

    std::vector<Candidate> Suggest(std::size_t /*max_count*/) override { return {}; }

    void Update(std::span<const Trial> /*finished*/) override {}

    [[nodiscard]] std::optional<Forecast> forecast() const override {
      return most_ ? std::optional(Forecast{.work_plan = "all", .most_plans = *most_})
                   : std::nullopt;
    }

   private:
    std::optional<std::size_t> most_;
  };

  const Strategy unknown(std::nullopt);
  EXPECT_EQ(MostPlansOf(unknown, {.max_trials = 200}), 200U);
  EXPECT_EQ(MostPlansOf(Strategy(90), {.max_trials = 200}), 90U);
  const TunerOptions budget{.max_trials = 200, .max_evaluations = 40};
  EXPECT_EQ(MostPlansOf(Strategy(90), budget), 40U);
  EXPECT_EQ(MostPlansOf(Strategy(90), budget, 12.5), 28U);
  EXPECT_EQ(MostPlansOf(Strategy(90), budget, 50), 0U);
  const TunerOptions free{.max_trials = 20, .known_are_free = true};
  EXPECT_EQ(MostPlansOf(unknown, free, 0, 5), 25U);
  EXPECT_EQ(MostPlansOf(unknown, {.max_trials = SIZE_MAX, .known_are_free = true}, 0, 5), SIZE_MAX);
}

TEST_F(TunerTest, NamesLoweredAndKeptNodes) {
  const Confirmed result = Tune({.max_trials = 200});
  for (const Trial& trial : result.trials) {
    EXPECT_EQ(trial.low_precision_nodes.size() + trial.kept_nodes.size(), graph_.nodes.size());
  }
}

}  // namespace
}  // namespace halftone
