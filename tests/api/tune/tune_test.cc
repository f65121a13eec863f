// The main job on the shipped example, end to end: the one test that takes real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "src/api/halftone.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::halftone::testing::WriteScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TuneTest : public ::testing::Test {
 protected:
  TuneTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy",
                     .labels = digits / "search_labels.npy",
                     .max_samples = 40};
    options_.heldout = {.inputs = digits / "heldout_inputs.npy",
                        .labels = digits / "heldout_labels.npy",
                        .max_samples = 20};
    options_.max_trials = 10;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.02, .full_budget_s = 0.04};
    options_.bank = folder_ / "bank";
    options_.output = folder_ / "out";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~TuneTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_tune_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
};

TEST_F(TuneTest, FrontFilesReproduceExactlyTheMeasuredPlans) {
  options_.operator_tuning = TuneOptions().operator_tuning;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_FALSE(summary.front.points.empty());
  for (const FrontPoint& point : summary.front.points) {
    // Reports name the files relative to themselves.
    std::string words;
    for (const Argument& argument : point.arguments) {
      words += ShellArgument(argument.option + "=" + argument.value) + " ";
    }
    const SetArguments of_report = ParseSetArguments(words, options_.output);
    const Point read = ReadPoint(options_.output / point.folder);
    for (const SetArguments& arguments : {of_report, read.arguments}) {
      const TargetSpec target = LoadTarget(arguments.target);
      const LoadedPrecision loaded = ReadPrecision(arguments.precision, target);
      EXPECT_EQ(ResolvePrecision(model_.graph, loaded.options, target).Digest(),
                point.trial.plan_digest)
          << point.folder;
      EXPECT_EQ(arguments.target.soc_version, "host");
      EXPECT_THAT(arguments.shapes.input_shape, ElementsAre(model_.input_shapes));
      EXPECT_THAT(CheckPoint(read, model_, target, loaded.options), IsEmpty());
    }
    EXPECT_TRUE(point.measurement().confirmed);
    EXPECT_TRUE(point.heldout.has_value());
  }
  for (const char* file : {"front.json", "front.csv", "report.md", "report.html", "junit.xml"}) {
    EXPECT_FALSE(ReadFile(options_.output / file).empty()) << file;
  }
}

// A front without 8 bits has no histograms.json: what is there goes where halftone wrote it.
TEST_F(TuneTest, AHistogramsFileOfAnotherProgramStays) {
  options_.max_trials = 1;
  options_.modes = {"force_fp16"};
  options_.quantize.mode = QuantizeMode::kOff;  // else the plan that is tried may have them
  const std::filesystem::path file = options_.output / "histograms.json";
  WriteFileAtomically(file, "{\"of\": \"somebody else\"}");
  ASSERT_FALSE(Tune(model_, options_).front.points.empty());
  EXPECT_EQ(ReadFile(file), "{\"of\": \"somebody else\"}");
  WriteFileAtomically(file, "{\"schema_version\": 1, \"tool\": {\"name\": \"halftone\"}}");
  ASSERT_FALSE(Tune(model_, options_).front.points.empty());
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Without its switches a point is another network.
TEST_F(TuneTest, FusionSwitchesGoWithEveryPoint) {
  const std::string switches = R"({"Switch": {"UBFusion": {"ALL": "off"}}})";
  model_ = LoadModel({.path = model_.path,
                      .inputs = options_.data.inputs,
                      .fusions_off = {"fuse_activation"},
                      .fusion_switches = switches});
  options_.max_trials = 1;
  options_.modes = {"force_fp16"};
  ASSERT_FALSE(Tune(model_, options_).front.points.empty());
  const std::filesystem::path point = options_.output / "point_1";
  const std::string around = "--soc_version=host\n--input_shape=" + model_.input_shapes + "\n";
  EXPECT_EQ(ReadFile(point / "arguments.txt"),
            around + "--precision_mode=force_fp16\n--fusion_switch_file=fusion_switch.json\n");
  EXPECT_EQ(ReadFile(point / "fusion_switch.json"), switches);
  EXPECT_THAT(ReadFile(options_.output / "front.json"),
              HasSubstr("\"--fusion_switch_file=point_1/fusion_switch.json\""));
  EXPECT_THAT(
      ReadFile(options_.output / "report.md"),
      HasSubstr("`halftone run --point=point_1 --model=MODEL --inputs=SAMPLES`\n- Options, with "
                "paths from that folder: `--soc_version=host` `--input_shape=" +
                model_.input_shapes +
                "` `--precision_mode=force_fp16` "
                "`--fusion_switch_file=point_1/fusion_switch.json`\n"));

  model_ = LoadModel({.path = model_.path, .inputs = options_.data.inputs});
  ASSERT_FALSE(Tune(model_, options_).front.points.empty());
  EXPECT_EQ(ReadFile(point / "arguments.txt"), around + "--precision_mode=force_fp16\n");
  EXPECT_FALSE(std::filesystem::exists(point / "fusion_switch.json")) << "of an earlier run";
}

TEST_F(TuneTest, BoundsArePromisedByHeldOutSamples) {
  options_.heldout->max_samples = 0;  // 360
  options_.constraints.min_sqnr_db = 20;
  // One plan, whatever is fastest here: one that keeps everything is exact and has no interval.
  options_.modes = {"force_fp16"};
  options_.max_trials = 1;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.front.chosen);
  const FrontPoint& chosen = summary.front.chosen_point();
  ASSERT_TRUE(chosen.certificate);
  EXPECT_TRUE(chosen.certificate->holds());
  EXPECT_EQ(chosen.certificate->samples, 360U);
  EXPECT_GE(chosen.certificate->bounds.at(0).limit, 20);
  EXPECT_LT(chosen.certificate->bounds.at(0).limit, chosen.heldout->Mean("sqnr_db"));
}

TEST_F(TuneTest, APartOfTheSamplesIsHeldOut) {
  options_.heldout.reset();
  options_.max_trials = 1;
  EXPECT_EQ(Tune(model_, options_).run.heldout_count, 10);
  options_.heldout_share = 0.5;
  const TuneSummary half = Tune(model_, options_);
  EXPECT_EQ(half.run.sample_count, 20);
  EXPECT_EQ(half.run.heldout_count, 20);
  options_.heldout_share = 0;
  EXPECT_EQ(Tune(model_, options_).run.heldout_count, 0);
  options_.heldout_share.reset();
  options_.data.max_samples = 15;
  EXPECT_EQ(Tune(model_, options_).run.heldout_count, 0) << "too few to hold any out";
}

TEST_F(TuneTest, HeldOutSamplesThatTheSearchSeesAreLeftOut) {
  options_.max_trials = 1;
  options_.heldout = options_.data;
  options_.heldout->max_samples = 50;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.run.heldout_count, 10);
  EXPECT_THAT(summary.warnings, ::testing::Contains("40 held-out samples left out: the search sees "
                                                    "the same inputs"));
}

// A search that ran each plan on a million samples would not end.
TEST_F(TuneTest, ASearchOnManySamplesDrawsSome) {
  options_.max_trials = 2;
  options_.data.draw_samples = 12;
  options_.heldout->draw_samples = 6;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.run.sample_count, 12);
  EXPECT_EQ(summary.run.heldout_count, 6);
  for (const char* const said : {"12 of 40 samples are used, drawn at random and the same in every "
                                 "run; --draw_samples=0 uses all",
                                 "6 of 20 held-out samples are used, drawn at random and the same "
                                 "in every run; --draw_samples=0 uses all"}) {
    EXPECT_THAT(summary.warnings, ::testing::Contains(said));
  }
  EXPECT_THAT(Tune(model_, options_).search.stop_reason, HasSubstr("answered from the front of"))
      << "the same samples again";
}

TEST_F(TuneTest, BudgetOfEvaluationsCountsProbes) {
  options_.max_trials = 1000;
  options_.budget.evaluations = 25;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.insight.probes);
  EXPECT_GT(summary.insight.probes->evaluations, 0);
  const double spent =
      static_cast<double>(summary.search.distinct_plans) + summary.insight.probes->evaluations;
  EXPECT_GE(spent, 25);
  EXPECT_LT(spent, 26);
  EXPECT_THAT(summary.search.stop_reason, HasSubstr("budget of 25 evaluations spent, "));
}

// One byte is too little for any probe; they say so, and what they find is that of one sample.
TEST_F(TuneTest, ProbesKeepToTheMemoryThatIsAllowed) {
  options_.max_trials = 1000;
  options_.budget.evaluations = 25;
  model_.options.max_memory = 1;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.insight.probes.value().samples, 1);
  EXPECT_THAT(summary.warnings, ::testing::Contains(::testing::AllOf(
                                    ::testing::StartsWith("probes need "),
                                    HasSubstr("1 B are allowed for the results that they keep; "
                                              "allow more with --max_memory"))));
}

TEST_F(TuneTest, TheSecondTimeNothingIsMeasured) {
  const TuneSummary first = Tune(model_, options_);
  EXPECT_GT(first.search.measured, 0U);
  const TuneSummary second = Tune(model_, options_);
  EXPECT_EQ(second.search.measured, 0U);
  EXPECT_EQ(second.search.known, first.search.measured);
  ASSERT_EQ(second.front.points.size(), first.front.points.size());
  for (std::size_t i = 0; i < first.front.points.size(); ++i) {
    EXPECT_EQ(second.front.points[i].trial.plan_digest, first.front.points[i].trial.plan_digest);
    EXPECT_EQ(second.front.points[i].measurement().latency.ratio,
              first.front.points[i].measurement().latency.ratio);
  }
}

TEST_F(TuneTest, AnotherMetricIsTheLoss) {
  const TuneSummary by_error = Tune(model_, options_);
  EXPECT_FALSE(by_error.reference.metric.has_value());
  options_.measure.metric.metric = "top1";
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.search.known, summary.search.distinct_plans)
      << "the bank has all metrics of every trial";
  ASSERT_TRUE(summary.reference.metric.has_value());
  EXPECT_EQ(summary.reference.metric->name, "top1");
  EXPECT_TRUE(summary.reference.metric->higher_is_better);
  EXPECT_EQ(summary.reference.metric->reference, summary.reference.top1);
  EXPECT_EQ(summary.reference.metric->heldout_reference, summary.reference.heldout_top1());
  std::pair last = {-2.0, 0.0};
  for (const FrontPoint& point : summary.front.points) {
    const Accuracy& accuracy = point.measurement().accuracy;
    const std::pair now = {accuracy.Mean("top1"), -accuracy.Mean("rel_l2")};
    EXPECT_GT(now, last) << "each slower point is right more often, or as often with less error";
    last = now;
  }
  EXPECT_THAT(ReadFile(options_.output / "front.json"), HasSubstr("\"better\": \"higher\""));
  EXPECT_THAT(ReadFile(options_.output / "report.md"), HasSubstr("| top1 (fp32 "));
}

// To a program that likes all alike, the error decides; and what the bank holds does not know its
// number.
TEST_F(TuneTest, AProgramIsTheLoss) {
  const TuneSummary before = Tune(model_, options_);
  options_.measure.metric = {.metric = "command:wc -l " + (SourceDir() / "LICENSE").string(),
                             .better = "higher"};
  try {
    Tune(model_, options_);
    FAIL() << "wc prints names, and no folder is a file";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--metric=command: 'wc' ended with exit code 1"));
  }
  options_.measure.metric.metric = "command:expr 40 + 2 #";
  try {
    Tune(model_, options_);
    FAIL() << "there is no shell that would take # for a comment";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--metric=command: 'expr' ended with exit code 2"));
  }
  const std::filesystem::path script = folder_ / "score";
  WriteScript(script, "test -s $1/outputs/39_0.npy && echo 42");
  options_.measure.metric.metric = "command:" + script.string();
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.search.measured, before.search.measured) << "no known trial has the metric";
  ASSERT_FALSE(summary.front.points.empty());
  double last = 2;
  for (const FrontPoint& point : summary.front.points) {
    EXPECT_EQ(point.measurement().accuracy.Mean("command:" + script.string()), 42);
    EXPECT_LT(point.measurement().accuracy.Mean("rel_l2"), last);
    last = point.measurement().accuracy.Mean("rel_l2");
  }
  // It wants 40 samples, and 20 are held out.
  EXPECT_EQ(summary.run.heldout_count, 20);
  EXPECT_FALSE(summary.reference.metric->heldout_reference.has_value());
  ASSERT_TRUE(summary.front.points[0].heldout.has_value()) << "the other metrics are there";
  EXPECT_THAT(summary.warnings,
              ::testing::Contains("held-out samples: --metric=command: '" + script.string() +
                                  "' ended with exit code 1: it says nothing on standard error; "
                                  "points from there on have no value of it"));
  EXPECT_EQ(Tune(model_, options_).search.measured, 0U) << "now they have it";
}

// Numbers of the held-out samples are not those of the search.
TEST_F(TuneTest, AProgramJudgesHeldOutSamplesToo) {
  const std::filesystem::path script = folder_ / "count";
  WriteScript(script, "wc -l < $1/samples.txt");
  const std::string name = "command:" + script.string();
  options_.measure.metric = {.metric = name, .better = "higher"};
  options_.max_trials = 2;
  const TuneSummary summary = Tune(model_, options_);
  ASSERT_TRUE(summary.reference.metric.has_value());
  EXPECT_EQ(summary.reference.metric->reference, 40);
  EXPECT_EQ(summary.reference.metric->heldout_reference, 20);
  for (const FrontPoint& point : summary.front.points) {
    EXPECT_EQ(point.measurement().accuracy.Mean(name), 40);
    EXPECT_EQ(point.heldout.value().Mean(name), 20);
  }
  EXPECT_THAT(ReadFile(options_.output / "front.json"), HasSubstr("\"heldout_reference\": 20.0"));
  EXPECT_THAT(ReadFile(options_.output / "report.md"), HasSubstr(" | held-out (fp32 20) | "));
  EXPECT_THAT(
      FormatConsole(summary, {.columns = 300}),
      ::testing::AllOf(HasSubstr("  metric (fp32 40)  "), HasSubstr("  held-out (fp32 20)  ")));
}

// A program that fails at one point of the front takes only its own numbers away.
TEST_F(TuneTest, AProgramThatFailsOnAHeldOutPointLeavesTheOtherMetrics) {
  const std::filesystem::path script = folder_ / "differs";
  WriteScript(script,
              "test $(wc -l < $1/samples.txt) = 40 && echo 1 && exit\n"
              "cmp $1/outputs/0_0.npy $1/reference/0_0.npy >&2 && echo 1");
  options_.measure.metric = {.metric = "command:" + script.string(), .better = "higher"};
  options_.modes = {"force_fp16"};
  options_.max_trials = 1;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_EQ(summary.reference.metric.value().heldout_reference, 1);
  ASSERT_EQ(summary.front.points.size(), 1U);
  EXPECT_EQ(summary.front.points[0].heldout.value().Find(options_.measure.metric.metric), nullptr);
  EXPECT_GT(summary.front.points[0].heldout.value().Mean("sqnr_db"), 20);
  EXPECT_THAT(summary.warnings, ::testing::Contains(HasSubstr("ended with exit code 1")));
}

TEST_F(TuneTest, LabelsOfHeldOutSamplesMayBeMissing) {
  options_.measure.metric.metric = "top1";
  options_.heldout->labels.clear();
  options_.max_trials = 1;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_FALSE(summary.reference.metric.value().heldout_reference.has_value());
  EXPECT_THAT(summary.warnings,
              ::testing::Contains("held-out samples: --metric=top1 is not known there: they have "
                                  "no labels; give --heldout_labels"));
}

TEST_F(TuneTest, TheReportSaysHowItWasMeasured) {
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_GT(summary.machine.facts.cores, 0);
  ASSERT_TRUE(summary.front.chosen.has_value());
  const Accuracy& accuracy = summary.front.chosen_point().measurement().accuracy;
  ASSERT_TRUE(accuracy.flips.has_value());
  EXPECT_EQ(accuracy.flips->rows, 40);
  EXPECT_EQ(accuracy.flips->labelled, 40);
  EXPECT_TRUE(MeanInterval(*accuracy.Find("rel_l2")).has_value());
  EXPECT_THAT(accuracy.Find("rel_l2")->worst_sample_name, HasSubstr("search_inputs.npy["));
  options_.search_again = true;
  const TuneSummary known = Tune(model_, options_);
  const Accuracy& again = known.front.chosen_point().measurement().accuracy;
  EXPECT_EQ(again, accuracy) << "judged once more, with the same numbers";
}

TEST_F(TuneTest, AStoppedSearchKeepsEverythingAndContinues) {
  std::size_t trials_seen = 0;
  TuneCallbacks callbacks;
  callbacks.on_progress = [&](const TunerProgress&) { ++trials_seen; };
  callbacks.stop_requested = [&] { return trials_seen >= 3; };
  const TuneSummary stopped = Tune(model_, options_, callbacks);
  EXPECT_EQ(stopped.search.measured, 3U);
  EXPECT_EQ(stopped.search.stop_reason, "interrupted");
  const TuneSummary continued = Tune(model_, options_);
  EXPECT_EQ(continued.search.known, 3U);
  EXPECT_EQ(continued.search.distinct_plans, options_.max_trials);
}

TEST_F(TuneTest, StoredConfigurationsResolveToTheStoredPlan) {
  const TuneSummary summary = Tune(model_, options_);
  const TargetSpec target = LoadTarget("host");
  for (const char* select : {"fastest", "most_accurate", "1"}) {
    const StoredConfiguration stored = LoadStored(model_, options_.bank, "host", select);
    EXPECT_EQ(ResolvePrecision(model_.graph, stored.precision, target).Digest(),
              stored.trial.plan_digest)
        << select;
    EXPECT_TRUE(stored.warnings.empty());
  }
  EXPECT_EQ(LoadStored(model_, options_.bank, "host", "fastest").trial.plan_digest,
            summary.front.points.front().trial.plan_digest);
  EXPECT_THROW(LoadStored(model_, options_.bank, "host", "99"), Error);
  EXPECT_THAT(ListBank(options_.bank, "host"), HasSubstr("digits"));
  EXPECT_THAT(ShowBank(options_.bank, "host", ""), HasSubstr("trials, oldest first:"));
}

TEST_F(TuneTest, AnUnreachableBoundChoosesNothing) {
  options_.constraints.max_latency_ratio = 1e-9;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_FALSE(summary.front.chosen.has_value());
  try {
    LoadStored(model_, options_.bank, "host", "");
    FAIL() << "nothing was chosen";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no point of the stored front met the constraints"));
  }
}

TEST_F(TuneTest, RandomDataIsMarked) {
  options_.data = {};
  options_.heldout.reset();
  options_.max_trials = 2;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_FALSE(summary.run.representative);
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_THAT(summary.warnings[0], HasSubstr("the samples are random"));
}

}  // namespace
}  // namespace halftone
