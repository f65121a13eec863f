// The stages of tuning (src/api/tune/pipeline.h), each called by itself.
#include "src/api/tune/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/precision/resolve/resolve.h"
#include "src/report/formats.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::ElementsAre;
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
  TimeBudget budget_;
};

std::vector<std::string> NotesOf(const Prepared& prepared) {
  return PromiseNotes(prepared.options, prepared.facts.heldout_count);
}

TEST_F(PipelineTest, PreparingRunsNoPlan) {
  options_.bank = folder_ / "bank";
  options_.strategy = "greedy:probes=64,bases=2";
  const Prepared prepared = Prepare(model_, options_, {}, budget_);
  EXPECT_EQ(prepared.facts.sample_count, 12);
  EXPECT_EQ(prepared.facts.heldout_count, 8);
  EXPECT_EQ(prepared.facts.database, (folder_ / "bank/host/halftone.db").string());
  EXPECT_EQ(prepared.facts.space, prepared.space.Summary());
  EXPECT_EQ(prepared.options.strategy, "greedy:bases=2") << "without defaults";
  EXPECT_THAT(prepared.warnings, IsEmpty());
  EXPECT_THAT(prepared.bank.store->Workloads(), IsEmpty()) << "a search adds its workload";
}

TEST_F(PipelineTest, AFrontIsCertifiedOnTheHeldOutSamples) {
  options_.constraints.min_sqnr_db = 20;
  const Prepared prepared = Prepare(model_, options_, {}, budget_);
  TunedFront front;
  front.points = {Measured("force_fp16", 0.5), Measured("allow_mix_precision", 0.75)};
  const Certified certified = CertifyFront(prepared, {}, {.strategy = "by hand"}, front, budget_);
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

TEST_F(PipelineTest, KnowsWhatRunsAsFloat32) {
  const Prepared prepared = Prepare(model_, options_, {}, budget_);
  const Graph& graph = prepared.graph();
  EXPECT_TRUE(RunsAsFloat32(prepared, ReferencePlan(graph)));
  const auto plan = [&](std::string mode) {
    return ResolvePrecision(graph, {.precision_mode = std::move(mode)}, prepared.target());
  };
  EXPECT_FALSE(RunsAsFloat32(prepared, plan("force_fp16")));
  const PrecisionPlan kept = plan("must_keep_origin_dtype");
  EXPECT_NE(kept.Digest(), ReferencePlan(graph).Digest()) << "its modes are the default ones";
  TunedFront front;
  front.points = {Measured("force_fp16", 0.5), Measured("must_keep_origin_dtype", 1)};
  const Certified certified = CertifyFront(prepared, {}, {}, front, budget_);
  EXPECT_FALSE(certified.front.points[0].as_float32);
  EXPECT_EQ(certified.front.points[1].as_float32, RunsAsFloat32(prepared, kept));
}

// Eight held-out samples promise no half a percent, whatever they show, and that is known before
// anything runs. The point is chosen on the samples, and labelled so.
TEST_F(PipelineTest, WhatCannotBePromisedIsChosenOnTheSamples) {
  options_.constraints.max_top1_drop = 0.005;
  std::vector<std::string> notes;
  TuneCallbacks callbacks;
  callbacks.on_promises = [&](const std::string& note) { notes.push_back(note); };
  const TuneSummary summary = Tune(model_, options_, callbacks);
  EXPECT_THAT(
      notes, ElementsAre(
                 "--max_top1_drop=0.005: with 8 held-out samples a drop of at most 32 % can be "
                 "promised with 95 % confidence, if none differs from float32; for this bound give "
                 "598 held-out samples (--heldout_inputs) or --confidence=none; otherwise the "
                 "point is chosen on the samples, and not promised"));
  ASSERT_TRUE(summary.front.chosen);
  EXPECT_EQ(summary.outcome.end, RunEnd::kNotPromised);
  EXPECT_EQ(summary.outcome.verdict.kind, VerdictKind::kMetOnSamples);
  EXPECT_THAT(FormatConsole(summary), HasSubstr("598 or more are needed for 0.5 %"));
  EXPECT_THAT(FormatConsole(summary), HasSubstr("verdict: met on the samples, not promised\n"));

  options_.confidence.reset();
  notes.clear();
  const TuneSummary none = Tune(model_, options_, callbacks);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(none.outcome.end, RunEnd::kDone);
  EXPECT_EQ(none.outcome.verdict.kind, VerdictKind::kMetOnSamples);
  EXPECT_FALSE(none.front.chosen_point().certificate);
}

// A quarter of the samples is held out: the note counts all that a user must give.
TEST_F(PipelineTest, TheNotesCountWhatToGive) {
  options_.heldout.reset();
  options_.data.max_samples = 160;
  options_.constraints = {.min_sqnr_db = 40, .max_rel_l2 = 0.1, .max_rel_l2_share = 0.95};
  EXPECT_THAT(
      NotesOf(Prepare(model_, options_, {}, budget_)),
      ElementsAre(
          "--min_sqnr_db=40: with 40 held-out samples it can be promised with 95 % confidence; how "
          "far beyond the bound the mean must be for that depends on the spread of the errors",
          "--max_rel_l2=0.1@95%: with 40 held-out samples all but 7.3 % of new samples can be "
          "promised to keep it with 95 % confidence; for this bound give 240 samples (59 of them "
          "are then held out) or --confidence=none; otherwise the point is chosen on the samples, "
          "and not promised"));
  options_.data.max_samples = 200;
  options_.data.inputs = SourceDir() / "examples/digits/heldout_inputs.npy";
  options_.constraints = {.max_top1_drop = 0.005};
  EXPECT_THAT(NotesOf(Prepare(model_, options_, {}, budget_)).at(0),
              HasSubstr("give 2,400 samples (598 of them are then held out)"));
}

// Float32 is float32, whatever the samples: a drop of nothing is promised of it with none held out.
TEST_F(PipelineTest, Float32IsPromisedAlways) {
  TuneSummary summary;
  summary.constraints.max_top1_drop = 0;
  summary.front.points = {Measured("force_fp16", 0.5), Measured("must_keep_origin_dtype", 1)};
  for (FrontPoint& point : summary.front.points) {
    auto& accuracy = std::get<Measurement>(point.trial.outcome).accuracy;
    accuracy.metrics.push_back({.name = "top1_agreement", .mean = 0.99});
  }
  FrontPoint& exact = summary.front.points[1];
  std::get<Measurement>(exact.trial.outcome).accuracy.metrics.back().mean = 1;
  exact.as_float32 = true;
  const ChoiceBasis basis{.constraints = summary.constraints, .reference = summary.reference};
  summary.front = ChooseAndCertify(std::move(summary.front), basis);
  ASSERT_EQ(summary.front.chosen, 1U);
  EXPECT_TRUE(summary.front.chosen_point().certificate->holds());
  EXPECT_FALSE(summary.front.points[0].certificate) << "no held-out samples";
  const Outcome outcome = OutcomeOf(summary);
  EXPECT_EQ(outcome.verdict.kind, VerdictKind::kPromised);
  EXPECT_EQ(outcome.end, RunEnd::kDone);
  EXPECT_THAT(outcome.verdict.sentence, HasSubstr("its outputs are those of float32"));
}

TEST_F(PipelineTest, BoundsWithoutHeldOutSamplesAreAWarning) {
  options_.heldout.reset();
  options_.heldout_share = 0;
  options_.constraints.min_sqnr_db = 60;
  const Prepared prepared = Prepare(model_, options_, {}, budget_);
  TunedFront front;
  front.points = {Measured("force_fp16", 0.5)};
  const Certified certified = CertifyFront(prepared, {}, {}, front, budget_);
  EXPECT_FALSE(certified.front.points[0].certificate);
  EXPECT_FALSE(certified.front.chosen) << "50 dB on the samples of the search";
  EXPECT_THAT(certified.front.nearest, SizeIs(1));
  ASSERT_THAT(certified.warnings, SizeIs(1));
  EXPECT_THAT(certified.warnings[0], HasSubstr("give --heldout_inputs or --heldout_share"));
}

// What a run leaves in the knowledge base answers the next one: both with one Prepared.
TEST_F(PipelineTest, ASearchAnswersTheNextRunOfTheSamePreparation) {
  options_.bank = folder_ / "bank";
  const Prepared prepared = Prepare(model_, options_, {}, budget_);
  const TuneSummary searched = TunePrepared(prepared, RunStart{budget_}, {});
  EXPECT_GT(searched.search.measured, 0U);
  const TuneSummary answered = TunePrepared(prepared, RunStart{budget_}, {});
  EXPECT_THAT(answered.search.stop_reason, StartsWith("answered from the front of "));
  EXPECT_EQ(answered.front.chosen, searched.front.chosen);
  EXPECT_EQ(answered.run.created_at, searched.run.created_at);
}

}  // namespace
}  // namespace halftone
