// Whole jobs on the shipped example, with budgets that suit a test: files, counts and lines, not
// speed-ups.
#include "src/aoe/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/aoe/result_file.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "src/api/retune/retune.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class AoeSessionTest : public ::testing::Test {
 protected:
  AoeSessionTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bank");
    const fs::path digits = testing::SourceDir() / "examples/digits";
    job_.models = {digits / "model.onnx"};
    job_.data = {.inputs = (digits / "search_inputs.npy").string(), .max_samples = 5};
    job_.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.01};
    job_.run_loop = 2;
    job_.operator_budget_s = 0.01;
    job_.max_trials = 30;
    job_.bank = {folder_ / "bank", "TUNE_BANK_PATH"};
    job_.work_root = folder_;
    job_.result_root = folder_;
    job_.identity = {{"model", "m"}};
    hooks_.print = [this](std::string_view line) {
      // Whether anything is faster hangs on the CPU.
      const bool kept =
          line == "digits: no other configuration is faster, so the one given stays as it is";
      (kept ? kept_ : printed_).emplace_back(line);
    };
    hooks_.warn = [this](std::string_view line) {
      if (!line.starts_with("timings may be off")) {  // what else runs here is of no test
        warned_.emplace_back(line);
      }
    };
    hooks_.timestamp = [this] { return std::to_string(++time_); };
    hooks_.process_id = 7;
  }

  ~AoeSessionTest() override { fs::remove_all(folder_); }

  AoeModelResult Result(const std::string& name) {
    const AoeResultFile file = ParseAoeResult(ReadFile(folder_ / name), name);
    EXPECT_EQ(file.tasks.size(), 1U);
    return file.tasks.front().result;
  }

  // Measurements of plans in the bank.
  [[nodiscard]] std::ptrdiff_t Records() const {
    std::string rows;
    ExportBank(job_.bank.path, "host", [&](std::string_view lines) { rows += lines; });
    return std::ranges::count_if(Split(rows, '\n'),
                                 [](auto row) { return row.find(R"("row":"trial")") != row.npos; });
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::string("halftone_aoe_session_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  AoeJob job_;
  AoeHooks hooks_;
  std::vector<std::string> printed_;
  std::vector<std::string> kept_;  // what is printed where nothing is faster
  std::vector<std::string> warned_;
  int time_ = 100;
};

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST_F(AoeSessionTest, OperatorTuningTwice) {
  job_.constraints.min_sqnr_db = 20;  // so that faster, less exact implementations may win
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult first = Result("aoe_result_opat_101_pid7.json");
  EXPECT_EQ(first.tuning_name, "digits");
  EXPECT_EQ(first.tuning_result, "tuning successful");
  ASSERT_TRUE(first.summary && first.baseline_ms && first.result_ms);
  EXPECT_TRUE(IsConsistent(*first.summary));
  EXPECT_EQ(first.summary->hit, 0);
  EXPECT_EQ(first.summary->add, static_cast<std::int64_t>(first.modified_operators.size()));
  for (const AoeOperatorResult& op : first.modified_operators) {
    ASSERT_EQ(op.performance.size(), 1U);
    const AoeTunePerformance& schedule = op.performance.front();
    EXPECT_EQ(schedule.kind, "Schedule");
    EXPECT_EQ(schedule.update_mode, "add");
    EXPECT_GT(schedule.after_us, 0);
    EXPECT_TRUE(IsAoeImprovement(schedule.before_us, schedule.after_us)) << "others are withdrawn";
  }
  EXPECT_LE(*first.result_ms, *first.baseline_ms) << "the baseline itself is always a candidate";
  // The table of operators has as many lines as kernels that won.
  ASSERT_GE(printed_.size(), 5U);
  EXPECT_THAT(Join(printed_, "\n"),
              ContainsRegex("operators? with a choice of kernels, 0 known from the bank;"));
  if (!kept_.empty()) {
    EXPECT_EQ(first.result_ms, first.baseline_ms);
  }
  EXPECT_THAT(std::vector<std::string>(printed_.end() - 4, printed_.end()),
              ElementsAre(MatchesRegex("digits process finished. Performance improved by [0-9]+%"),
                          HasSubstr("aoe_workspace/digits_101/tunespace/result/digits_101_tune/"),
                          HasSubstr("aoe_result_opat_101_pid7.json"),
                          MatchesRegex("\\[Aoe\\]Aoe process finished,cost time [0-9]+s\\.")));
  const fs::path tuned = folder_ / "aoe_workspace/digits_101/tunespace/result/digits_101_tune";
  EXPECT_THAT(ReadFile(tuned / "arguments.txt"), HasSubstr("--precision_mode=force_fp16"));
  EXPECT_FALSE(ReadFile(tuned / "report.md").empty());

  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult second = Result("aoe_result_opat_102_pid7.json");
  EXPECT_EQ(*second.summary, (AoeRepoSummary{.total = first.summary->total,
                                             .hit = first.summary->total,
                                             .reserved = first.summary->total}));
  EXPECT_THAT(second.modified_operators, IsEmpty());
  EXPECT_EQ(second.baseline_ms, first.baseline_ms) << "nothing is measured again";
  EXPECT_EQ(second.result_ms, first.result_ms);

  job_.repeat = true;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_EQ(Result("aoe_result_opat_103_pid7.json").summary->hit, 0);
}

// In float32 most operators have the library's kernel and ours.
TEST_F(AoeSessionTest, KernelsAreTunedBeforeModes) {
  job_.precision.precision_mode = "must_keep_origin_dtype";
  std::size_t rounds = 0;
  bool search_began = false;
  hooks_.on_operators = [&](const OperatorTunerProgress&) {
    EXPECT_FALSE(search_began);
    ++rounds;
  };
  hooks_.on_progress = [&](const TunerProgress&) { search_began = true; };
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_GE(rounds, 10U);
  EXPECT_TRUE(search_began);
  const AoeModelResult first = Result("aoe_result_opat_101_pid7.json");
  EXPECT_EQ(first.summary->hit, 0);
  EXPECT_GT(first.summary->total, 0);
  EXPECT_EQ(first.summary->add, static_cast<std::int64_t>(first.modified_operators.size()));
  EXPECT_LE(*first.result_ms, *first.baseline_ms)
      << "slower kernels are dropped, a tie is no change";
  EXPECT_THAT(Join(printed_, "\n"),
              ContainsRegex("operator tuning: [1-9][0-9]* operators? with a choice of kernels, 0 "
                            "known from the bank;"));

  rounds = 0;
  printed_.clear();
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_EQ(rounds, 0U);
  const AoeModelResult second = Result("aoe_result_opat_102_pid7.json");
  EXPECT_EQ(*second.summary, (AoeRepoSummary{.total = first.summary->total,
                                             .hit = first.summary->total,
                                             .reserved = first.summary->total}));
  EXPECT_EQ(second.baseline_ms, first.baseline_ms) << "the static order, from the bank";
  EXPECT_EQ(second.result_ms, first.result_ms);
  EXPECT_THAT(Join(printed_, "\n"), ContainsRegex("choice of kernels, [1-9][0-9]* known"));
}

TEST_F(AoeSessionTest, AnInterruptionOfTheKernelStageLeavesAnIncompleteJob) {
  job_.precision.precision_mode = "must_keep_origin_dtype";
  bool stop = false;
  hooks_.on_operators = [&](const OperatorTunerProgress&) { stop = true; };
  hooks_.stop_requested = [&] { return stop; };
  EXPECT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kInterrupted);
  const AoeModelResult result = Result("aoe_result_opat_101_pid7.json");
  EXPECT_EQ(result.tuning_result, "tuning incomplete");
  EXPECT_FALSE(result.baseline_ms);
  // All operators are counted, and that there is nothing to tune is not said.
  EXPECT_GT(result.summary->total, 0);
  EXPECT_EQ(*result.summary,
            (AoeRepoSummary{.total = result.summary->total, .unsatisfied = result.summary->total}));
  EXPECT_THAT(Join(printed_, "\n"),
              ContainsRegex("operator tuning: [1-9][0-9]* operators? with a choice of kernels, 0 "
                            "known from the bank; 0 faster with another kernel; interrupted with "
                            "[1-9][0-9]* undecided"));
  EXPECT_THAT(warned_, ::testing::Contains("interrupted; the measurements are in the bank"));
  stop = false;
  hooks_.stop_requested = nullptr;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_EQ(Result("aoe_result_opat_102_pid7.json").summary->total, result.summary->total);
}

TEST_F(AoeSessionTest, OnlyListedOperatorsAreTuned) {
  job_.tune_ops = TuneOps{{"stem/conv"}, {}};
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_LE(Result("aoe_result_opat_101_pid7.json").summary->total, 1);
  job_.tune_ops = TuneOps{{"no such operator"}, {}};
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_EQ(*Result("aoe_result_opat_102_pid7.json").summary, AoeRepoSummary{});
  EXPECT_THAT(warned_, ::testing::Contains(HasSubstr("there is nothing to tune")));
}

TEST_F(AoeSessionTest, SubgraphTuningTwice) {
  job_.type = AoeJobType::kSubgraph;
  job_.max_trials = 8;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult first = Result("aoe_result_sgat_101_pid7.json");
  EXPECT_EQ(first.job, "SGAT");
  EXPECT_EQ(first.tuning_result, "tuning successful");
  ASSERT_TRUE(first.baseline_ms && first.result_ms);
  EXPECT_LE(*first.result_ms, *first.baseline_ms);
  EXPECT_EQ(first.improvement, AoeImprovement(*first.baseline_ms, *first.result_ms));
  const std::ptrdiff_t measured = Records();
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult second = Result("aoe_result_sgat_102_pid7.json");
  EXPECT_EQ(second.baseline_ms, first.baseline_ms);
  EXPECT_EQ(second.result_ms, first.result_ms);
  EXPECT_EQ(Records(), measured);

  job_.repeat = true;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_GT(Records(), measured);
}

// By a planted clock, which loading takes on; AOE itself has no such limit.
TEST_F(AoeSessionTest, ABudgetThatIsOverIsSaidOfTheModel) {
  double now_s = 0;
  hooks_.time = std::make_shared<TimeBudget>(std::nullopt, [&] { return now_s; });
  now_s = 90;
  job_.budget_s = 60;
  for (const AoeJobType type : {AoeJobType::kSubgraph, AoeJobType::kOperator}) {
    job_.type = type;
    warned_.clear();
    EXPECT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kNoneMeetsBound);
    EXPECT_THAT(warned_, ::testing::Contains(
                             HasSubstr("digits: Nothing could be searched in 60 s: reading the "
                                       "network and its samples took 90.0 s")));
  }
  EXPECT_THAT(Result("aoe_result_sgat_101_pid7.json").tuning_result,
              HasSubstr("tuning failed: Nothing could be searched"));
}

TEST_F(AoeSessionTest, FusionSwitchesAreWrittenWithTheOptions) {
  job_.type = AoeJobType::kSubgraph;
  job_.max_trials = 1;
  job_.fusion_switches.off = {"fuse_activation"};
  job_.fusion_switches.file = R"({"Switch": {"UBFusion": {"ALL": "off"}}})";
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const fs::path tuned = folder_ / "aoe_workspace/digits_101/tunespace/result/digits_101_tune";
  EXPECT_THAT(ReadFile(tuned / "arguments.txt"),
              HasSubstr("--fusion_switch_file=fusion_switch.json\n"));
  EXPECT_EQ(ReadFile(tuned / "fusion_switch.json"), job_.fusion_switches.file);
}

// What it writes in place of a model is a point, as those of its front are.
TEST_F(AoeSessionTest, WhatItWritesIsAPoint) {
  job_.type = AoeJobType::kSubgraph;
  job_.max_trials = 4;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const fs::path tuned = folder_ / "aoe_workspace/digits_101/tunespace/result/digits_101_tune";
  const Model model = LoadModel({.path = job_.models[0], .inputs = job_.data.inputs});
  for (const fs::path& folder : {tuned, tuned / "point_1"}) {
    const Point point = ReadPoint(folder);
    const TargetSpec target = LoadTarget(point.arguments.target);
    EXPECT_THAT(
        CheckPoint(point, model, target, ReadPrecision(point.arguments.precision, target).options),
        IsEmpty());
    ASSERT_TRUE(point.record);
    EXPECT_THAT(point.arguments.shapes.input_shape, ElementsAre(model.input_shapes));
    const ShippedFront shipped = ReadShippedPoint(model, folder, point.arguments.target);
    ASSERT_EQ(shipped.members.size(), 1U);
    EXPECT_EQ(shipped.members[0].plan_digest, point.record->plan_digest);
  }
}

TEST_F(AoeSessionTest, AnInterruptedJobIsReloaded) {
  job_.type = AoeJobType::kSubgraph;
  job_.max_trials = 8;
  std::size_t measured = 0;
  bool stop = false;
  hooks_.on_progress = [&](const TunerProgress& now) {
    measured = now.measured;
    stop = now.done >= 3;
  };
  hooks_.stop_requested = [&] { return stop; };
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kInterrupted);
  EXPECT_EQ(Result("aoe_result_sgat_101_pid7.json").tuning_result, "tuning incomplete");
  EXPECT_EQ(measured, 3U);

  hooks_.stop_requested = nullptr;
  job_.reload = true;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_EQ(measured, 8U - 3U) << "three are known";
  EXPECT_THAT(printed_[1], HasSubstr("aoe_workspace/digits_101/")) << "the same workspace";
  EXPECT_THROW(RunAoeJob(job_, hooks_), Error) << "it is finished now";
}

TEST_F(AoeSessionTest, AJobThatRunsIsNotReloaded) {
  job_.type = AoeJobType::kSubgraph;
  job_.max_trials = 4;
  std::string message;
  AoeJob second = job_;
  second.reload = true;
  hooks_.on_progress = [&](const TunerProgress& now) {
    if (now.done != 2 || !message.empty()) {
      return;
    }
    AoeHooks other = hooks_;
    other.on_progress = nullptr;
    try {
      RunAoeJob(second, other);
      message = "accepted";
    } catch (const Error& error) {
      message = error.what();
    }
  };
  EXPECT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  EXPECT_THAT(message, HasSubstr("job.lock' is held by another process that is still running"));
}

// A smaller budget measures less; it does not forget what the bank knows.
TEST_F(AoeSessionTest, KnownOperatorsAreHitsWhateverTheBudget) {
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult first = Result("aoe_result_opat_101_pid7.json");
  job_.max_trials = 1;
  ASSERT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kDone);
  const AoeModelResult second = Result("aoe_result_opat_102_pid7.json");
  EXPECT_EQ(second.summary->hit, first.summary->total);
  EXPECT_EQ(second.summary->unsatisfied, 0);
}

TEST_F(AoeSessionTest, ABoundThatNothingMeets) {
  job_.constraints.min_sqnr_db = 1000;
  EXPECT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kNoneMeetsBound);
  EXPECT_EQ(Result("aoe_result_opat_101_pid7.json").tuning_result,
            "tuning failed: no configuration meets the bounds");
}

TEST_F(AoeSessionTest, ADynamicModelWithoutShape) {
  job_.data = {};
  try {
    RunAoeJob(job_, hooks_);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("E10001"), HasSubstr("'pixels' has free dimensions"),
                                    HasSubstr("--input_shape=\"pixels:1,1,8,8\"")));
  }
  EXPECT_THAT(FilesIn(folder_), IsEmpty()) << "nothing was tuned, so there is nothing to tell";
}

// Options come first, then their files, then the model, of which nothing is said here.
TEST_F(AoeSessionTest, OptionsAreCheckedBeforeModels) {
  job_.models = {folder_ / "nowhere.onnx"};
  const auto message = [&] {
    try {
      RunAoeJob(job_, hooks_);
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(message(), HasSubstr("nowhere.onnx"));
  job_.reload = true;
  job_.reload_folder = folder_ / "no_job";
  EXPECT_THAT(message(), HasSubstr("--reload="));
  job_.precision.keep_dtype = "nowhere.cfg";
  EXPECT_THAT(message(), HasSubstr("--keep_dtype=nowhere.cfg"));
  job_.precision.precision_mode = "foo";
  EXPECT_THAT(message(), HasSubstr("--precision_mode has the value 'foo'"));
  EXPECT_THAT(FilesIn(folder_), IsEmpty());
}

TEST_F(AoeSessionTest, SeveralModelsOneOfThemBroken) {
  WriteFileAtomically(folder_ / "broken.onnx", "no model");
  job_.models.push_back(folder_ / "broken.onnx");
  job_.tune_ops = TuneOps{{"head/softmax"}, {}};
  EXPECT_EQ(RunAoeJob(job_, hooks_), AoeOutcome::kFailed);
  const AoeResultFile file =
      ParseAoeResult(ReadFile(folder_ / "aoe_result_opat_101_pid7.json"), "r");
  ASSERT_EQ(file.tasks.size(), 2U);
  EXPECT_EQ(file.tasks[0].name, "report_101_1");
  EXPECT_EQ(file.tasks[0].result.tuning_result, "tuning successful");
  EXPECT_EQ(file.tasks[1].name, "report_101_2");
  EXPECT_THAT(file.tasks[1].result.tuning_result, HasSubstr("tuning failed: "));
  EXPECT_THAT(warned_.back(), HasSubstr("broken.onnx"));
}

}  // namespace
}  // namespace halftone
