// What is known of a run while it lasts, and how it ends early: by Ctrl-C or by a budget, with a
// planted clock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "halftone/metric.h"
#include "src/api/halftone.h"
#include "src/api/profile.h"
#include "src/api/run/run_limits.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Seconds that are left of a budget; each piece of work takes some.
struct PlantedClock {
  double left_s = 0;

  [[nodiscard]] RunHooks Hooks() {
    RunHooks hooks;
    hooks.time = std::make_shared<TimeBudget>(left_s, [this] { return -left_s; });
    return hooks;
  }
};

TEST(RunLimitsTest, PiecesEndBeforeTheirShareIsSpent) {
  PlantedClock clock{.left_s = 100};
  const RunHooks hooks = clock.Hooks();
  RunLimits limits(hooks, 1);
  int pieces = 0;
  do {
    clock.left_s -= 7;
    ++pieces;
  } while (limits.GoesOn(kLatencyShare));
  EXPECT_EQ(pieces, 7);  // an eighth would end at 56 of the 50 seconds
  EXPECT_EQ(limits.WhyNoLatency(), "");
  EXPECT_FALSE(limits.interrupted());
}

TEST(RunLimitsTest, ShapesShareWhatIsLeft) {
  PlantedClock clock{.left_s = 100};
  const RunHooks hooks = clock.Hooks();
  RunLimits first(hooks, 2);
  int pieces = 0;
  do {
    clock.left_s -= 10;
    ++pieces;
  } while (first.GoesOn(0));
  EXPECT_EQ(pieces, 5);
  RunLimits second(hooks, 1);
  clock.left_s -= 10;
  EXPECT_TRUE(second.GoesOn(0));
}

TEST(RunLimitsTest, ATimeThatIsTooShortForARoundIsToldWithItsCause) {
  PlantedClock clock{.left_s = 20};
  const RunHooks hooks = clock.Hooks();
  RunLimits limits(hooks, 1);
  clock.left_s -= 7.2;
  static_cast<void>(limits.GoesOn(0));
  EXPECT_EQ(limits.WhyNoLatency(),
            "13 s of --budget are left, and a run of both networks takes 7.2 s");
}

TEST(RunLimitsTest, WithoutABudgetNothingEndsARun) {
  const RunHooks none;
  RunLimits limits(none, 1);
  EXPECT_TRUE(limits.GoesOn(1));
  EXPECT_EQ(limits.WhyNoLatency(), "");
}

class RunHooksTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSamples = 6;

  RunHooksTest() {
    testing::GraphBuilder builder;
    const ValueId x = builder.Input("x", {1, 16});
    model_.graph = builder.Finish({builder.Add(OpKind::kTanh, "tanh", {x})});
  }

  RunResult Run(const RunHooks& hooks, bool latency = true, const MetricArguments& metric = {}) {
    return RunConfiguration(model_,
                            {LoadTarget("host"),
                             {.precision_mode = "force_fp16"},
                             {.inputs = {}, .labels = {}, .generated_samples = kSamples}},
                            {.threads = 1,
                             .quick_budget_s = 1e-3,
                             .full_budget_s = 1e-3,
                             .latency = latency,
                             .on = {},
                             .metric = metric},
                            hooks);
  }

  Model model_;
};

TEST_F(RunHooksTest, AccuracyIsKnownBeforeLatencyIsMeasured) {
  std::vector<std::string> events;
  RunHooks hooks;
  hooks.on_progress = [&](std::string_view what, std::size_t /*done*/, std::size_t /*planned*/) {
    if (events.empty() || events.back() != what) {
      events.emplace_back(what);
    }
  };
  hooks.on_accuracy = [&](const RunResult& result, std::size_t shape) {
    EXPECT_EQ(shape, 0U);
    EXPECT_EQ(result.sample_count, kSamples);
    EXPECT_GT(result.measurement.accuracy.Mean("sqnr_db"), 0);
    EXPECT_FALSE(result.timed);
    events.emplace_back("known");
  };
  hooks.on_shape_end = [&](const RunResult& result, std::size_t /*shape*/) {
    EXPECT_TRUE(result.timed);
    events.emplace_back("end");
  };
  EXPECT_TRUE(Run(hooks).timed);
  EXPECT_THAT(events, ElementsAre("accuracy", "known", "timed runs", "end"));
}

TEST_F(RunHooksTest, WithoutLatencyNothingIsTimed) {
  RunHooks hooks;
  hooks.on_progress = [&](std::string_view what, std::size_t /*done*/, std::size_t /*planned*/) {
    EXPECT_EQ(what, "accuracy");
  };
  const RunResult result = Run(hooks, false);
  EXPECT_FALSE(result.timed);
  EXPECT_EQ(result.no_latency, "");
  EXPECT_EQ(result.sample_count, kSamples);
}

// The accuracy of float32 beside the plan is what it is with float32 first.
TEST_F(RunHooksTest, StoppedAmongTheSamplesItIsOfThoseThatWereDone) {
  RunHooks hooks;
  std::size_t done = 0;
  hooks.on_progress = [&](std::string_view /*what*/, std::size_t now, std::size_t planned) {
    EXPECT_EQ(planned, static_cast<std::size_t>(kSamples));
    done = now;
  };
  hooks.stop_requested = [&] { return done == 2; };
  bool known = false;
  hooks.on_accuracy = [&](const RunResult& /*result*/, std::size_t /*shape*/) { known = true; };
  const RunResult result = Run(hooks);
  EXPECT_TRUE(known);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.timed);
  EXPECT_EQ(result.sample_count, 2);
  EXPECT_EQ(result.planned_samples, kSamples);
  const RunResult whole = Run({}, false);
  const MetricValue* part = result.measurement.accuracy.Find("sqnr_db");
  const MetricValue* all = whole.measurement.accuracy.Find("sqnr_db");
  ASSERT_EQ(part->values.size(), 2U);
  EXPECT_EQ(part->values[1], all->values[1]);
}

TEST_F(RunHooksTest, StoppedInTheWarmUpItHasTheAccuracyAlone) {
  RunHooks hooks;
  bool timing = false;
  hooks.on_progress = [&](std::string_view what, std::size_t done, std::size_t /*planned*/) {
    timing = what == "timed runs" && done > 0;
  };
  hooks.stop_requested = [&] { return timing; };
  const RunResult result = Run(hooks);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.timed);
  EXPECT_EQ(result.sample_count, kSamples);
  EXPECT_GT(result.measurement.accuracy.Mean("sqnr_db"), 0);
}

TEST_F(RunHooksTest, ABudgetCutsSamplesAndSaysWhyThereIsNoLatency) {
  PlantedClock clock{.left_s = 10};
  RunHooks hooks = clock.Hooks();
  hooks.on_progress = [&](std::string_view what, std::size_t done, std::size_t /*planned*/) {
    clock.left_s -= what == "accuracy" && done > 0 ? 4 : 0;  // a run of both takes four seconds
  };
  const RunResult result = Run(hooks);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.sample_count, 1);
  EXPECT_FALSE(result.timed);
  EXPECT_THAT(result.no_latency, HasSubstr("6 s of --budget are left, and a run of both networks "
                                           "takes 4 s"));
}

// Outputs of float32 would stand in the place of those that were not computed.
TEST_F(RunHooksTest, AMetricOfTheUserIsOfAllSamplesOrLeftOut) {
  const MetricArguments metric{
      .metric = "function:one",
      .better = "higher",
      .function = std::make_shared<const MetricFunction>(
          [](const JudgedOutputs& /*judged*/) { return std::vector<double>{1}; })};
  PlantedClock clock{.left_s = 10};
  RunHooks hooks = clock.Hooks();
  std::size_t judged = 0;
  hooks.on_progress = [&](std::string_view what, std::size_t done, std::size_t /*planned*/) {
    judged = what == "accuracy" ? done : 0;
    clock.left_s -= judged > 0 ? 4 : 0;
  };
  const RunResult whole = Run(hooks, true, metric);
  EXPECT_EQ(whole.sample_count, kSamples);
  EXPECT_NE(whole.measurement.accuracy.Find("function:one"), nullptr);
  EXPECT_FALSE(whole.timed);
  clock.left_s = 10;
  hooks.stop_requested = [&] { return judged == 2; };
  const RunResult part = Run(hooks, true, metric);
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.sample_count, 2);
  EXPECT_EQ(part.measurement.accuracy.Find("function:one"), nullptr);
  EXPECT_NE(part.measurement.accuracy.Find("sqnr_db"), nullptr);
}

TEST_F(RunHooksTest, AProfileIsOfTheRunsThatWereDone) {
  ProfileSettings settings{.runs = 5, .threads = 1, .choices = {}};
  std::size_t done = 0;
  settings.hooks.on_progress = [&](std::string_view what, std::size_t now, std::size_t planned) {
    EXPECT_EQ(what, "profile");
    EXPECT_EQ(planned, 5U);
    done = now;
  };
  settings.hooks.stop_requested = [&] { return done == 3; };
  const RunProfile profile =
      ProfileRun(model_, LoadTarget("host"), {}, {.inputs = {}, .labels = {}}, settings);
  EXPECT_TRUE(profile.interrupted);
  EXPECT_EQ(profile.runs, 3);
  EXPECT_FALSE(profile.steps.empty());
}

}  // namespace
}  // namespace halftone
