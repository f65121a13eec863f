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
#include "src/precision/resolve/resolve.h"
#include "tests/search/tuner_fixture.h"

namespace halftone {
namespace {

using testing::FakeMeasurer;
using ::testing::HasSubstr;
using testing::TunerTest;

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

TEST_F(TunerTest, StopsWhenNoNewPlanTurnsUp) {
  problem_.space.modes = {"must_keep_origin_dtype"};
  problem_.space.impl_mode_sets.resize(1);
  const Confirmed result = Tune({.max_barren = 9});
  EXPECT_EQ(result.trials.size(), 1U);
  EXPECT_EQ(result.stop_reason, "no new plan in 9 candidates");
}

// Proposes float32, and twice the same plan in qint8.
class ScaledStrategy : public SearchStrategy {
 public:
  std::vector<Candidate> Suggest(std::size_t /*max_count*/) override {
    if (!proposed.empty()) {
      return {};
    }
    Quantization quantization;
    quantization.activations["x"] = {.scale = 0.5F, .zero_point = 3};
    Candidate scaled{.options = {.precision_mode = "must_keep_origin_dtype"}};
    proposed = {scaled};
    scaled.options.node_formats = {{"mm0", "qint8 to float32"}};
    scaled.options.quantization = SharedQuantization(quantization);
    proposed.push_back(scaled);
    scaled.options.keep_dtype = {"act1"};
    proposed.push_back(scaled);
    return proposed;
  }

  void Update(std::span<const Trial> trials) override {
    finished.insert(finished.end(), trials.begin(), trials.end());
  }

  std::vector<Candidate> proposed;
  std::vector<Trial> finished;
};

// What is measured and stored is the plan with the quantisation that the hook gave it.
TEST_F(TunerTest, PlansWithScalesAreMeasuredAndStoredAsCorrected) {
  std::size_t corrections = 0;
  hooks_.corrected = [&](const PrecisionPlan& plan) {
    ++corrections;
    Quantization quantization = *plan.quantization;
    quantization.bias_shifts["mm0"] = std::vector<float>(8, 0.25F);
    PrecisionPlan corrected = plan;
    corrected.quantization = SharedQuantization(quantization);
    return corrected;
  };
  ScaledStrategy strategy;
  const Searched result = RunSearch(problem_, strategy, measurer_, {}, {}, hooks_);
  EXPECT_EQ(corrections, 1U) << "float32 has none, and the third plan is the second";
  ASSERT_EQ(result.trials.size(), 2U);
  const Candidate& shipped = result.trials[1].candidate;
  ASSERT_TRUE(shipped.options.quantization);
  EXPECT_EQ(shipped.options.quantization->bias_shifts.count("mm0"), 1U);
  EXPECT_FALSE(result.trials[0].candidate.options.quantization);
  // The options that are stored give the plan that was measured.
  const PrecisionPlan plan = ResolvePrecision(graph_, shipped.options, target_);
  EXPECT_EQ(plan.Digest(), result.trials[1].plan_digest);
  EXPECT_EQ(measurer_.measured.back(), plan.Digest());
  EXPECT_EQ(stored_, result.trials);
  ASSERT_EQ(strategy.finished.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(strategy.finished[i].candidate, strategy.proposed[i]) << "its own candidates";
  }
  EXPECT_EQ(strategy.finished[2].plan_digest, plan.Digest());
  // A later search finds it by its digest.
  ScaledStrategy again;
  const Searched later = RunSearch(problem_, again, measurer_, {}, result.trials, hooks_);
  EXPECT_EQ(later.measured, 0U);
  EXPECT_EQ(later.known, 2U);
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

// As a command that a stop kills: it fails once the stop is requested.
class StoppedMeasurer : public FakeMeasurer {
 public:
  StoppedMeasurer(const Graph& graph, int after) : FakeMeasurer(graph), after_(after) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override {
    FailAfterTheStop();
    return FakeMeasurer::Measure(plan);
  }

  Latency Confirm(const PrecisionPlan& plan) override {
    FailAfterTheStop();
    return FakeMeasurer::Confirm(plan);
  }

  bool stopped = false;

 private:
  void FailAfterTheStop() {
    stopped = --after_ < 0;
    if (stopped) {
      throw Error(ErrorKind::kUnsupported, "stopped while the command ran");
    }
  }

  int after_;
};

// Such a plan was not rejected: nothing is stored of it, and the front stays.
TEST_F(TunerTest, AStopWithinAMeasurementLosesNothing) {
  for (const int after : {4, 13}) {  // within the search, and within the confirmation
    stored_.clear();
    StoppedMeasurer measurer(graph_, after);
    hooks_.stop_requested = [&] { return measurer.stopped; };
    auto strategy = MakeStrategy("exhaustive", problem_.space);
    const Confirmed result =
        RunTuner(problem_, *strategy, measurer, {.max_trials = 12}, {}, hooks_);
    EXPECT_EQ(result.end, SearchEnd::kUser) << after;
    EXPECT_FALSE(result.front.empty()) << after;
    for (const Trial& trial : result.trials) {
      EXPECT_EQ(trial.rejection(), nullptr) << after;
    }
    EXPECT_EQ(stored_.size(), static_cast<std::size_t>(after)) << after;
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
