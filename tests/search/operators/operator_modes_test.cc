#include "search/operators/operator_modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/trial/pareto_front.h"
#include "search/tuner.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using testing::FakeMeasurer;

// mm0 relu0 mm1 relu1 mm2 softmax: the matrix products and the softmax have a choice. In the fake
// measurer high_precision takes 10 % longer and high_performance has twice the loss.
class OperatorModesTest : public ::testing::Test {
 protected:
  Confirmed Tune(const PrecisionOptions& options, const OperatorSearchOptions& search = {}) {
    problem_ = MakeOperatorProblem(graph_, options, target_);
    auto strategy = MakeOperatorStrategy(problem_, search);
    const TuneProblem tune{graph_, target_, MakeSearchSpace(graph_, target_)};
    Confirmed result = RunTuner(tune, *strategy, measurer_, {}, {}, {});
    EXPECT_LE(result.trials.size(), strategy->forecast().value().most_plans);
    return result;
  }

  static PrecisionOptions Precise() {
    return {.precision_mode = "force_fp16",
            .op_precision_given = true,
            .impl_mode_by_type = {{"MatMulV2", ImplMode::kHighPrecision},
                                  {"SoftmaxV2", ImplMode::kHighPrecision}}};
  }

  static std::size_t Changed(const OperatorProblem& problem, const Trial& trial) {
    std::size_t changed = 0;
    for (const OperatorModes& op : problem.operators) {
      changed += trial.candidate.options.impl_mode_by_node.at(op.node) != op.current ? 1 : 0;
    }
    return changed;
  }

  Graph graph_ = ChainNetwork(3);
  TargetSpec target_ = ChainTarget();
  FakeMeasurer measurer_{graph_};
  OperatorProblem problem_;
};

TEST_F(OperatorModesTest, TheWrittenOutBaselineIsTheSamePlan) {
  for (const char* mode : {"force_fp16", "must_keep_origin_dtype", "allow_mix_precision"}) {
    for (const char* select : {"", "high_precision", "high_performance_for_all"}) {
      const PrecisionOptions options{.precision_mode = mode, .op_select_implmode = select};
      const OperatorProblem problem = MakeOperatorProblem(graph_, options, target_);
      EXPECT_EQ(problem.operators.size(), 4U);
      EXPECT_EQ(ResolvePrecision(graph_, problem.baseline, target_).Digest(),
                ResolvePrecision(graph_, options, target_).Digest())
          << mode << " " << select;
    }
  }
}

TEST_F(OperatorModesTest, OnlyModesChangeAndTheBestAreCombined) {
  const Confirmed result = Tune(Precise(), {.constraints = {.min_sqnr_db = 0}});
  const PrecisionPlan baseline = ResolvePrecision(graph_, Precise(), target_);
  ASSERT_EQ(result.trials.size(), 1U + 4U + 1U) << "baseline, each alone, all together";
  EXPECT_EQ(Changed(problem_, result.trials.front()), 0U);
  EXPECT_EQ(Changed(problem_, result.trials.back()), 4U);
  for (const Trial& trial : result.trials) {
    const PrecisionPlan plan = ResolvePrecision(graph_, trial.candidate.options, target_);
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
      EXPECT_EQ(plan.nodes[i].inputs, baseline.nodes[i].inputs);
      EXPECT_EQ(plan.nodes[i].outputs, baseline.nodes[i].outputs);
    }
  }
  EXPECT_EQ(result.front.front(), result.trials.size() - 1) << "all together is the fastest";
}

TEST_F(OperatorModesTest, NothingIsCombinedThatIsLessAccurate) {
  const Confirmed result = Tune(Precise());
  EXPECT_EQ(result.trials.size(), 1U + 4U);
}

// Both together miss a bound that each of the two best alone meets: the search halves.
TEST_F(OperatorModesTest, HalvesWhatIsTooInaccurateTogether) {
  const Confirmed loose = Tune(Precise(), {.constraints = {.min_sqnr_db = 0}});
  const auto sqnr = [](const Trial& trial) {
    return trial.measurement()->accuracy.Mean("sqnr_db");
  };
  double single = 1e9;
  for (std::size_t i = 1; i <= 4; ++i) {
    single = std::min(single, sqnr(loose.trials[i]));
  }
  ASSERT_LT(sqnr(loose.trials.back()), single);
  const Confirmed result = Tune(Precise(), {.constraints = {.min_sqnr_db = single - 1e-6}});
  ASSERT_EQ(result.trials.size(), 1U + 4U + 2U);
  EXPECT_EQ(Changed(problem_, result.trials[5]), 4U);
  EXPECT_EQ(Changed(problem_, result.trials[6]), 2U);
}

TEST_F(OperatorModesTest, InPairs) {
  const Confirmed result = Tune(Precise(), {.in_pairs = true, .constraints = {.min_sqnr_db = 0}});
  EXPECT_EQ(result.trials.size(), 1U + 4U + 6U + 1U);
}

TEST_F(OperatorModesTest, WithModeChangesOneOperator) {
  const OperatorProblem problem =
      MakeOperatorProblem(graph_, {.precision_mode = "force_fp16"}, target_);
  const OperatorModes& op = problem.operators[1];
  const Candidate candidate = WithMode(problem, 1, op.others.front());
  EXPECT_EQ(candidate.options.impl_mode_by_node.at(op.node), op.others.front());
  EXPECT_EQ(candidate.options.impl_mode_by_node.at(problem.operators[0].node),
            problem.operators[0].current);
}

}  // namespace
}  // namespace halftone
