// The stages of tuning (src/api/tune/pipeline.h), each called by itself.
#include "src/api/tune/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 12};
    options_.heldout = {.inputs = digits / "heldout_inputs.npy", .max_samples = 8};
    options_.max_trials = 6;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~PipelineTest() override { std::filesystem::remove_all(folder_); }

  // A point of the mode that was measured already; its latency is made up, its samples are not run.
  [[nodiscard]] FrontPoint Measured(const std::string& mode, double ratio) const {
    Trial trial{.candidate = {{.precision_mode = mode}}};
    trial.plan_digest =
        ResolvePrecision(model_.graph, trial.candidate.options, LoadTarget(TargetOptions()))
            .Digest();
    Measurement measurement;
    measurement.latency.ratio = ratio;
    measurement.latency.ratio_interval = {ratio, ratio};
    measurement.latency.anchor_median_s = 0.25;
    measurement.accuracy.metrics = {{.name = "sqnr_db", .mean = 50, .worst = 50},
                                    {.name = "rel_l2", .mean = 0.003, .worst = 0.003}};
    measurement.confirmed = true;
    trial.outcome = measurement;
    return {.trial = trial};
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_pipeline_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
};

TEST_F(PipelineTest, PreparingRunsNoPlan) {
  options_.bank = folder_ / "bank";
  options_.strategy = "greedy:probes=64,bases=2";
  const Prepared prepared = Prepare(model_, options_, {});
  EXPECT_EQ(prepared.facts.sample_count, 12);
  EXPECT_EQ(prepared.facts.heldout_count, 8);
  EXPECT_EQ(prepared.facts.database, (folder_ / "bank/host/halftone.db").string());
  EXPECT_EQ(prepared.facts.space, prepared.space.Summary());
  EXPECT_EQ(prepared.options.strategy, "greedy:bases=2") << "without defaults";
  EXPECT_THAT(prepared.warnings, IsEmpty());
  EXPECT_THAT(prepared.store->Workloads(), IsEmpty()) << "a search adds its workload";
}

TEST_F(PipelineTest, AFrontIsCertifiedOnTheHeldOutSamples) {
  options_.constraints.min_sqnr_db = 20;
  const Prepared prepared = Prepare(model_, options_, {});
  TunedFront front;
  front.points = {Measured("force_fp16", 0.5), Measured("allow_mix_precision", 0.75)};
  const Certified certified = CertifyFront(prepared, {}, {.strategy = "by hand"}, front);
  EXPECT_EQ(certified.search.strategy, "by hand");
  EXPECT_EQ(certified.reference.latency_s, 0.25) << "of the fastest point's anchor";
  EXPECT_FALSE(certified.reference.heldout.metrics.empty());
  ASSERT_THAT(certified.front.points, SizeIs(2));
  for (const FrontPoint& point : certified.front.points) {
    ASSERT_TRUE(point.heldout);
    EXPECT_EQ(point.heldout->Find("sqnr_db")->values.size(), 8U);
    ASSERT_TRUE(point.certificate);
    EXPECT_EQ(point.certificate->samples, 8);
  }
  EXPECT_EQ(certified.front.chosen, 0U) << "the fastest of those that are promised";
  EXPECT_THAT(certified.warnings, IsEmpty());
}

TEST_F(PipelineTest, BoundsWithoutHeldOutSamplesAreAWarning) {
  options_.heldout.reset();
  options_.heldout_share = 0;
  options_.constraints.min_sqnr_db = 60;
  const Prepared prepared = Prepare(model_, options_, {});
  TunedFront front;
  front.points = {Measured("force_fp16", 0.5)};
  const Certified certified = CertifyFront(prepared, {}, {}, front);
  EXPECT_FALSE(certified.front.points[0].certificate);
  EXPECT_FALSE(certified.front.chosen) << "50 dB on the samples of the search";
  EXPECT_THAT(certified.front.nearest, SizeIs(1));
  ASSERT_THAT(certified.warnings, SizeIs(1));
  EXPECT_THAT(certified.warnings[0], HasSubstr("give --heldout_inputs or --heldout_share"));
}

// What a run leaves in the knowledge base answers the next one: both with one Prepared.
TEST_F(PipelineTest, ASearchAnswersTheNextRunOfTheSamePreparation) {
  options_.bank = folder_ / "bank";
  const Prepared prepared = Prepare(model_, options_, {});
  const TuneSummary searched = TunePrepared(prepared, RunStart(), {});
  EXPECT_GT(searched.search.measured, 0U);
  const TuneSummary answered = TunePrepared(prepared, RunStart(), {});
  EXPECT_THAT(answered.search.stop_reason, StartsWith("answered from the front of "));
  EXPECT_EQ(answered.front.chosen, searched.front.chosen);
  EXPECT_EQ(answered.run.created_at, searched.run.created_at);
}

}  // namespace
}  // namespace halftone
