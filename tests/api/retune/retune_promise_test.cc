// What was promised of a shipped front, and how accurate it is now beside then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "knowledge_base/sqlite_store.h"
#include "search/trial/certify.h"
#include "search/trial/pareto_front.h"
#include "src/api/retune/retune.h"
#include "src/base/file.h"
#include "tests/api/retune/retune_fixture.h"

namespace halftone {
namespace {

using ::halftone::testing::RetuneTest;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RetuneTest, APromiseIsCertifiedAgain) {
  UseHeldOutSamples();
  options_.output = folder_ / "out";
  const TuneSummary tuned = Tune(model_, tune_);
  ASSERT_TRUE(tuned.front.chosen);
  PlantFront(1000, "");
  const RetuneResult result = Retune(model_, options_);
  EXPECT_TRUE(result.holds()) << FormatRetune(result);
  EXPECT_EQ(result.heldout_count, 360);
  const RetunedPoint& shipped = result.points.at(result.front.chosen.value());
  EXPECT_EQ(shipped.certificate, tuned.front.chosen_point().certificate) << "the same kernels";
  EXPECT_EQ(result.front.promised, shipped.certificate) << "by the values that are stored";
  const std::string promise = shipped.certificate->bounds.at(0).statement;
  const std::string line = "--min_sqnr_db=20 is promised: " + promise + "; then " + promise;
  EXPECT_THAT(FormatRetune(result), HasSubstr("\n" + line + "\n"));
  EXPECT_THAT(ReadFile(folder_ / "out/retune.md"), HasSubstr("\n- \\" + line + "\n"));
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "out/retune.json"));
  EXPECT_EQ(json["promise"]["samples"], 360);
  EXPECT_EQ(json["promise"]["holds"], true);
  EXPECT_EQ(json["promise"]["bounds"][0]["before"], json["promise"]["bounds"][0]["after"]);
  EXPECT_GT(json["points"][0]["heldout_accuracy_after"]["sqnr_db"]["mean"], 0);

  // The front that is stored now promises it too, of a point that today is no slower
  // but for a tie: of tied points the more accurate one is chosen (search/trial/choose.h).
  const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadOnly);
  const StoredFront now = store->Fronts(store->Workloads()[1].key).at(0);
  ASSERT_TRUE(now.chosen);
  const auto chosen =
      std::ranges::find(result.points, now.members[*now.chosen].plan_digest,
                        [](const RetunedPoint& point) { return point.after.plan_digest; });
  ASSERT_NE(chosen, result.points.end());
  const Latency& latency = chosen->after.measurement()->latency;
  const Objectives now_chosen = ObjectivesOf(*chosen->after.measurement());
  const Objectives now_shipped = ObjectivesOf(*shipped.after.measurement());
  const double allowed = now_chosen.loss < now_shipped.loss ? 1 + kTieRatio : 1;
  EXPECT_LE(now_chosen.latency_ratio, now_shipped.latency_ratio * allowed);
  EXPECT_TRUE(Certify(now.constraints,
                      {.latency = latency,
                       .heldout = chosen->heldout.value(),
                       .reference = result.heldout_reference,
                       .search = &chosen->after.measurement()->accuracy,
                       .as_float32 = chosen->as_float32},
                      {.seed = options_.measure.seed})
                  .holds());
}

// On what is measured now: promised limits, held-out samples, those of the search.
TEST_F(RetuneTest, GatesJudgeTheShippedPoint) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.search = false;
  options_.output = folder_ / "out";
  for (const char* text : {"promised_sqnr_db<20", "heldout_sqnr_db<20", "search_sqnr_db<20",
                           "promised_sqnr_db<199", "speed_up<=0"}) {
    options_.fail_if.push_back(ParseGate(text));
  }
  const RetuneResult result = Retune(model_, options_);
  EXPECT_TRUE(result.holds()) << FormatRetune(result);
  std::vector<bool> passed;
  for (const GateResult& gate : result.gates) {
    passed.push_back(gate.passed);
    EXPECT_THAT(gate.point, HasSubstr("point "));
  }
  EXPECT_THAT(passed, ElementsAre(true, true, true, false, true)) << FormatRetune(result);
  EXPECT_FALSE(result.passes_gates());
  EXPECT_THAT(FormatRetune(result), HasSubstr("\ngate promised_sqnr_db<199: failed; expected "));
  EXPECT_THAT(ReadFile(folder_ / "out/retune.md"), HasSubstr("\n- gate speed_up&lt;=0: passed; "));
  EXPECT_EQ(nlohmann::json::parse(ReadFile(folder_ / "out/retune.json"))["gates"].size(), 5U);
  EXPECT_THAT(FormatRetuneJUnit(result), HasSubstr("tests=\"6\" failures=\"1\" errors=\"0\""));
  const std::vector<Annotation> annotations = AnnotationsOf(result);
  ASSERT_EQ(annotations.size(), 2U);
  EXPECT_EQ(annotations[0].title, "halftone retune: gate promised_sqnr_db<199");
  EXPECT_EQ(annotations[1].severity, Severity::kNotice);

  options_.fail_if = {ParseGate("promised_rel_l2>1")};
  EXPECT_THROW(Retune(model_, options_), Error) << "the front has no such bound";
}

// It meets the bound on the samples of the search, and more than that nobody can promise.
TEST_F(RetuneTest, ABoundThatCannotBePromisedAnyMoreDoesNotHold) {
  UseHeldOutSamples();
  const TuneSummary tuned = Tune(model_, tune_);
  const Accuracy& accuracy = tuned.front.points[tuned.front.chosen.value()].measurement().accuracy;
  min_sqnr_db_ = accuracy.Mean("sqnr_db") - 0.001;
  options_.heldout->max_samples = 20;  // too few for more than the mean that they have
  PlantFront(1000, "");
  const RetuneResult result = Retune(model_, options_);
  const RetunedPoint& shipped = result.points.at(result.front.chosen.value());
  ASSERT_TRUE(shipped.certificate.has_value());
  ASSERT_FALSE(shipped.certificate->holds());
  EXPECT_THAT(result.failures,
              ElementsAre(HasSubstr("cannot be promised: the SQNR on new samples is at least ")));
  EXPECT_THAT(FormatRetune(result), HasSubstr("the shipped configuration does not hold: point "));

  const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadOnly);
  const StoredFront now = store->Fronts(store->Workloads()[1].key).at(0);
  EXPECT_TRUE(!now.chosen || now.members[*now.chosen].plan_digest != shipped.after.plan_digest);
}

// How accurate it was before is not what was promised; without a bound it is all there is.
TEST_F(RetuneTest, WhatIsPromisedHoldsThoughItWasMoreAccurate) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  sqnr_db_more_ = 30;
  PlantFront(1000, "");
  const RetuneResult promised = Retune(model_, options_);
  EXPECT_TRUE(promised.points.at(promised.front.chosen.value()).less_accurate);
  EXPECT_TRUE(promised.holds()) << FormatRetune(promised);
}

TEST_F(RetuneTest, WithoutABoundWhatIsLessAccurateDoesNotHold) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  sqnr_db_more_ = 30;
  min_sqnr_db_.reset();
  PlantFront(1000, "");
  const RetuneResult free = Retune(model_, options_);
  EXPECT_THAT(free.failures,
              Contains(AllOf(HasSubstr("SQNR: "), HasSubstr(" (-30.0 dB [-30.0, -30.0] on the same "
                                                            "60 samples), worse"))));
  EXPECT_EQ(free.heldout_count, 0) << "nothing to promise, nothing to run";
}

// 0.2 dB of each sample, where samples scatter over tens of decibels: the bank has the values, so
// the fall is found; of other data the means alone say nothing of it.
TEST_F(RetuneTest, ASmallFallOfEverySampleIsFound) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  sqnr_db_more_ = 0.2;
  min_sqnr_db_.reset();
  PlantFront(1000, "");
  const RetuneResult same = Retune(model_, options_);
  EXPECT_THAT(same.failures, Contains(HasSubstr("-0.2 dB [-0.2, -0.2] on the same 60 samples")));
  keep_values_ = false;
  std::filesystem::remove_all(options_.bank);
  PlantFront(1000, "");
  EXPECT_TRUE(Retune(model_, options_).holds()) << "imports of old banks have no values by sample";
}

// Another confidence is said; none makes no promise, and judges the held-out samples as they are.
TEST_F(RetuneTest, TheConfidenceIsTheFrontsUnlessOneIsGiven) {
  UseHeldOutSamples();
  tune_.confidence = 0.8;
  Tune(model_, tune_);
  const auto retune = [&] {  // each from the bank as it was shipped
    std::filesystem::remove_all(options_.bank);
    PlantFront(1000, "");
    return Retune(model_, options_);
  };
  const RetuneResult same = retune();
  EXPECT_EQ(same.front.confidence, 0.8);
  EXPECT_EQ(same.points.at(*same.front.chosen).certificate->confidence, 0.8);
  EXPECT_THAT(same.changes, Not(Contains(HasSubstr("confidence"))));
  options_.confidence = 0.95;
  EXPECT_THAT(retune().changes, Contains("confidence 0.8 -> 0.95"));
  options_.confidence = std::optional<double>();
  const RetuneResult none = retune();
  EXPECT_THAT(none.changes, Contains("confidence 0.8 -> none"));
  EXPECT_FALSE(none.points.at(*none.front.chosen).certificate);
  EXPECT_TRUE(none.holds()) << FormatRetune(none);
}

// A shipped point is fixed before its new samples are seen: all of them promise.
TEST_F(RetuneTest, AllNewSamplesPromiseAShippedPoint) {
  UseHeldOutSamples();
  tune_.output = folder_ / "shipped";
  Tune(model_, tune_);
  options_.bank.clear();
  options_.front = folder_ / "shipped/front.json";
  options_.data.inputs = tune_.heldout->inputs;
  options_.data.max_samples = 0;
  options_.heldout.reset();
  options_.heldout_share = 1;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_EQ(result.heldout_count, 360);
  EXPECT_EQ(result.points.at(*result.front.chosen).certificate->samples, 360U);
  options_.search = true;
  EXPECT_THROW(Retune(model_, options_), Error);
}

// The bank knows the samples that its search saw.
TEST_F(RetuneTest, SamplesOfTheSearchPromiseNothing) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.heldout.reset();
  options_.heldout_share = 1;
  EXPECT_THROW(Retune(model_, options_), Error);
}

TEST_F(RetuneTest, ABoundWithoutHeldOutSamplesIsWarnedOf) {
  UseHeldOutSamples();
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.heldout.reset();
  options_.heldout_share = 0;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(
      result.warnings,
      Contains(
          "an SQNR of at least 20 dB is judged on the samples of the search, which says nothing "
          "certain of others: give --heldout_inputs or --heldout_share, or "
          "--confidence=none"));
  EXPECT_FALSE(result.points.at(result.front.chosen.value()).certificate.has_value());
}

TEST_F(RetuneTest, AShippedFileSaysWhatWasPromised) {
  UseHeldOutSamples();
  tune_.output = folder_ / "shipped";
  const TuneSummary tuned = Tune(model_, tune_);
  options_.bank.clear();
  options_.front = folder_ / "shipped/front.json";
  const RetuneResult result = Retune(model_, options_);
  EXPECT_EQ(result.front.promised, tuned.front.points[tuned.front.chosen.value()].certificate);
  EXPECT_TRUE(result.points.at(*result.front.chosen).certificate.has_value());
}

}  // namespace
}  // namespace halftone
