// What probes leave out where time is short.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "search/probe/error_probes.h"
#include "search/probe/network_prober.h"
#include "search/probe/probed_network.h"
#include "src/base/error.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

// float32 takes 1 a node; float16 less, bfloat16 more; high_performance less than high_precision.
double TimeOf(const NodePrecision& node) {
  const NumericFormat format = node.compute_format();
  const double of_format = format == DType::kFloat16 ? 0.8 : format == DType::kBFloat16 ? 3 : 1;
  return of_format * (node.impl_mode == ImplMode::kHighPerformance ? 0.5 : 1);
}

class PlantedTimes : public LatencySource {
 public:
  std::vector<StepTimes> TimeSteps(const NetworkSetup& network,
                                   std::span<const PrecisionPlan> plans,
                                   const StepTimesOptions& options,
                                   const std::function<bool()>& /*stop_requested*/) override {
    asked = options;
    timed_plans = plans.size();
    std::vector<StepTimes> times;
    for (const PrecisionPlan& plan : plans) {
      StepTimes& of_plan = times.emplace_back();
      for (NodeId n = 0; n < std::ssize(network.graph.nodes); ++n) {
        of_plan.nodes[network.graph.node(n).name] = TimeOf(plan.node(n));
        of_plan.total += TimeOf(plan.node(n));
      }
    }
    return times;
  }

  std::variant<Latency, Rejection> Race(const TimedNetwork& /*network*/, CompiledPlan& /*plan*/,
                                        double /*give_up_above*/) override {
    throw Error(ErrorKind::kInternal, "probes race no plan");
  }

  Latency Confirm(const TimedNetwork& /*network*/, const PrecisionPlan& /*plan*/,
                  const std::function<bool()>& /*stop_requested*/) override {
    throw Error(ErrorKind::kInternal, "probes confirm no plan");
  }

  std::optional<Latency> ConfirmWithin(const TimedNetwork& /*network*/,
                                       const PrecisionPlan& /*plan*/, const Latency& /*first*/,
                                       const ConfirmTime& /*time*/) override {
    throw Error(ErrorKind::kInternal, "probes confirm no plan");
  }

  StepTimesOptions asked;
  std::size_t timed_plans = 0;
};

class ShortProbesTest : public ::testing::Test {
 protected:
  Sensitivity Probe(double most_runs) {
    ProbeOptions options;
    options.latency = source_;
    options.most_error_runs = most_runs;
    options.most_timed_runs = most_runs;
    return NetworkProber(graph_, dataset_, options).Probe(decisions_, {});
  }

  // Names of the choices of a group that are probed.
  [[nodiscard]] std::vector<std::string> ProbedOf(const Sensitivity& sensitivity,
                                                  std::size_t group) const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < decisions_.groups()[group].choices.size(); ++c) {
      if (!sensitivity.groups[group].choices[c].left_out) {
        names.push_back(NameOf(decisions_.groups()[group].choices[c]));
      }
    }
    return names;
  }

  static Dataset Samples() {
    Tensor input(DType::kFloat32, Shape{1, 8});
    std::ranges::fill(input.mutable_values<float>(), 0.4F);
    return Dataset(std::vector<Sample>{{"sample", {input}}});
  }

  Graph graph_ = testing::ChainNetwork(3);
  TargetSpec target_ = testing::ChainTarget();
  Decisions decisions_{graph_, target_};
  Dataset dataset_ = Samples();
  std::shared_ptr<PlantedTimes> source_ = std::make_shared<PlantedTimes>();
};

TEST_F(ShortProbesTest, WithTimeEveryChoiceIsProbed) {
  const Sensitivity sensitivity = Probe(1e9);
  EXPECT_TRUE(sensitivity.in_full);
  EXPECT_EQ(ProbedOf(sensitivity, 0).size(), 6U);
  EXPECT_EQ(source_->asked.min_rounds, StepTimesOptions().min_rounds);
}

TEST_F(ShortProbesTest, TheFastestImplementationOfEachFormatIsProbedIfFloat32IsSlower) {
  const Sensitivity sensitivity = Probe(1);
  EXPECT_FALSE(sensitivity.in_full);
  EXPECT_THAT(ProbedOf(sensitivity, 0),
              ElementsAre("float32 high_precision", "float32 high_performance",
                          "float16 high_performance"));
  EXPECT_THAT(ProbedOf(sensitivity, 1), ElementsAre("float32", "float16"));
  for (const GroupSensitivity& group : sensitivity.groups) {
    for (const ChoiceSensitivity& choice : group.choices) {
      EXPECT_EQ(choice.left_out, !choice.refusal.empty()) << choice.refusal;
      EXPECT_GT(choice.time, 0) << "what is left out was timed";
    }
  }
}

TEST_F(ShortProbesTest, ASingleRoundIsTimedIfThereIsTimeForNoMore) {
  Probe(1);
  const auto plans = static_cast<double>(source_->timed_plans);
  EXPECT_EQ(source_->asked.min_rounds, 1);
  EXPECT_EQ(source_->asked.fewest_rounds, 1);
  EXPECT_EQ(LeastProbesOf(decisions_).timed_runs, 2 * plans);
  Probe(4 * plans);
  EXPECT_EQ(source_->asked.min_rounds,
            static_cast<int>(4 * plans / static_cast<double>(source_->timed_plans) - 1));
  EXPECT_EQ(source_->asked.fewest_rounds, StepTimesOptions().fewest_rounds);
}

// The least cost counts what a short probe does at most if no format is slower than float32.
TEST_F(ShortProbesTest, TheLeastCostIsThatOfOneChoiceOfEachForm) {
  const ProbedNetwork network(decisions_);
  const double all =
      PlanErrorEffort(decisions_, network.steps, {.most_error_runs = 0}, 1, Unprobed(decisions_))
          .runs;
  EXPECT_LT(LeastProbesOf(decisions_).error_runs, all);
  EXPECT_GT(LeastProbesOf(decisions_).error_runs, all / 2);
}

}  // namespace
}  // namespace halftone
