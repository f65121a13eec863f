// --progress_file: when it is written, what it says, and what happens where it cannot be written.
#include "src/cli/progress_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/cli/command.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::ProcessResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A folder of its own for each test.
class ProgressFileTest : public ::testing::Test {
 protected:
  ProgressFileTest() { fs::remove_all(folder_); }

  ~ProgressFileTest() override { fs::remove_all(folder_); }

  ProgressFile::Surroundings Surroundings() {
    return {.now_s = [this] { return now_s_; },
            .warn = [this](const std::string& sentence) { warnings_.push_back(sentence); }};
  }

  [[nodiscard]] ProgressRecord Written() const {
    return ReadProgressFile(path_).value_or(ProgressRecord());
  }

  static std::string NameOfTest() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("halftone_progress_file_" + NameOfTest());
  fs::path path_ = folder_ / "progress.json";
  double now_s_ = 1000;
  std::vector<std::string> warnings_;
};

Trial Plan(double ratio, double sqnr_db) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{"sqnr_db", sqnr_db, sqnr_db, 0}, {"rel_l2", 0.01, 0.01, 0}};
  return {.candidate = {}, .plan_digest = {}, .outcome = measurement};
}

TEST_F(ProgressFileTest, IsReplacedOnceASecondAndAtEachNewPhase) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  EXPECT_EQ(Written(), ProgressRecord());
  file.Show(ProbeProgress{.stage = "calibration", .done = 1, .planned = 9});
  EXPECT_EQ(Written().phase, RunPhase::kProbes) << "a new phase";
  now_s_ += 0.75;
  file.Show(ProbeProgress{.stage = "calibration", .done = 5, .planned = 9});
  EXPECT_EQ(Written().steps, (PhaseSteps{1, 9})) << "not yet";
  now_s_ += 0.25;
  file.Show(ProbeProgress{.stage = "calibration", .done = 6, .planned = 9});
  EXPECT_EQ(Written().steps, (PhaseSteps{6, 9}));
  EXPECT_EQ(Written().elapsed_s, 1);
  file.Show(OperatorTunerProgress{.decided = 2, .operators = 8});
  EXPECT_EQ(Written().phase, RunPhase::kOperators);
  EXPECT_EQ(Written().steps, (PhaseSteps{2, 8}));
  now_s_ += 0.5;
  file.Show(ProbeProgress{.stage = "errors", .done = 7, .planned = 9});
  EXPECT_EQ(Written().phase, RunPhase::kOperators) << "the phase is no new one";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ProgressFileTest, SaysHowFarTheSearchIsAndWhatIsBest) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  file.Judge({.min_sqnr_db = 40}, std::nullopt);
  const std::vector<Trial> trials = {Plan(0.5, 30), Plan(0.7, 45)};
  file.Show(TunerProgress{.done = 12, .planned = 120, .measured = 10, .trials = trials});
  ProgressRecord record = Written();
  EXPECT_EQ(record.phase, RunPhase::kSearch);
  EXPECT_EQ(record.steps, (PhaseSteps{12, 120}));
  EXPECT_EQ(record.plans_measured, 10U);
  EXPECT_EQ(record.plans_known, 2U);
  EXPECT_EQ(record.plans_planned, 120U);
  EXPECT_EQ(record.best.any, (BestPlan{0.5, 0.01, 30}));
  EXPECT_EQ(record.best.meeting, (BestPlan{0.7, 0.01, 45}));
  EXPECT_FALSE(record.outcome.has_value());

  file.Show(TunerProgress{.phase = TunerProgress::Phase::kConfirm,
                          .done = 1,
                          .planned = 2,
                          .measured = 10,
                          .trials = trials});
  record = Written();
  EXPECT_EQ(record.phase, RunPhase::kConfirm);
  EXPECT_EQ(record.steps, (PhaseSteps{1, 2}));
  EXPECT_EQ(record.plans_known, 2U) << "that of the search";
  EXPECT_EQ(record.plans_planned, 120U);

  now_s_ += 5;
  file.Show(TunerProgress{.done = 13, .planned = kNoLimitOfPlans, .trials = trials});
  EXPECT_EQ(Written().plans_planned, std::nullopt);
  EXPECT_EQ(Written().steps, (PhaseSteps{13, std::nullopt}));
}

TEST_F(ProgressFileTest, TheLastRecordHasTheOutcome) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  now_s_ += 0.125;
  const int exit_code = file.Finishing([&] {
    file.Take(20, 3, std::vector<Trial>{Plan(0.5, 30)});
    return RunOutcome{"gate_failed", kExitGateFailed, ""};
  });
  EXPECT_EQ(exit_code, kExitGateFailed);
  const ProgressRecord record = Written();
  EXPECT_EQ(record.phase, RunPhase::kDone);
  EXPECT_EQ(record.outcome, (RunOutcome{"gate_failed", 4, ""}));
  EXPECT_EQ(record.plans_measured, 20U);
  EXPECT_EQ(record.plans_known, 3U);
  EXPECT_EQ(record.elapsed_s, 0.125);
  EXPECT_EQ(record.best.front_points, 1U);
}

TEST_F(ProgressFileTest, AnErrorThatEndsTheWorkIsTheOutcome) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  EXPECT_THROW(file.Finishing([]() -> RunOutcome { throw Error(ErrorKind::kUsage, "no such x"); }),
               Error);
  EXPECT_EQ(Written().outcome, (RunOutcome{"failed", kExitUsage, "no such x"}));
  EXPECT_THROW(file.Finishing([]() -> RunOutcome { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(Written().outcome->exit_code, kExitFailure);
  EXPECT_THROW(file.Finishing([]() -> RunOutcome { throw std::logic_error("bug"); }),
               std::logic_error);
  EXPECT_EQ(Written().outcome, (RunOutcome{"failed", kExitBug, "bug"}));
}

TEST_F(ProgressFileTest, WhatCannotBeWrittenAtTheStartIsAnError) {
  WriteFileAtomically(folder_ / "file", "");
  ProgressFile file(folder_ / "file" / "progress.json", Surroundings());
  EXPECT_THROW(file.Begin(), Error);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ProgressFileTest, WhatCannotBeWrittenLaterIsOneWarningAndTheWorkGoesOn) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  fs::remove(path_);
  fs::create_directory(path_);
  for (int i = 0; i < 5; ++i) {
    now_s_ += 1;
    file.Show(ProbeProgress{.stage = "errors", .done = 1, .planned = 9});
  }
  EXPECT_THAT(warnings_, ElementsAre(AllOf(StartsWith("--progress_file: cannot write '"),
                                           HasSubstr("Is a directory"))));
  EXPECT_TRUE(fs::is_directory(path_));
  // As after a disk was full for a while.
  fs::remove(path_);
  file.Finish({"done", 0, ""});
  EXPECT_EQ(Written().phase, RunPhase::kDone);
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(ProgressFileTest, WithoutAPathNothingIsWritten) {
  ProgressFile file("", Surroundings());
  file.Begin();
  file.Show(ProbeProgress{.stage = "errors", .done = 1, .planned = 9});
  EXPECT_EQ(file.Finishing([] { return RunOutcome{"done", 0, ""}; }), 0);
  TuneCallbacks callbacks;
  file.Watch(callbacks);
  EXPECT_FALSE(callbacks.on_progress || callbacks.on_operators || callbacks.on_probes ||
               callbacks.on_bounds);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ProgressFileTest, CallbacksThatAreSetAreCalledToo) {
  ProgressFile file(path_, Surroundings());
  file.Begin();
  TuneCallbacks callbacks;
  std::size_t seen = 0;
  callbacks.on_probes = [&](const ProbeProgress& progress) { seen = progress.done; };
  file.Watch(callbacks);
  callbacks.on_probes({.stage = "errors", .done = 4, .planned = 9});
  EXPECT_EQ(seen, 4U);
  EXPECT_EQ(Written().steps, (PhaseSteps{4, 9}));
  callbacks.on_bounds({.min_sqnr_db = 40}, std::nullopt);
  const std::vector<Trial> trials = {Plan(0.5, 30)};
  callbacks.on_progress({.done = 1, .planned = 2, .measured = 1, .trials = trials});
  EXPECT_TRUE(Written().best.any.has_value());
  EXPECT_FALSE(Written().best.meeting.has_value()) << "judged by the bounds";
}

TEST_F(ProgressFileTest, TuneAndRetuneLeaveTheRecordOfTheirEnd) {
  const std::vector<std::string> samples = {"--model=" + Digits("model.onnx"),
                                            "--inputs=" + Digits("search_inputs.npy"),
                                            "--max_samples=5",
                                            "--threads=1",
                                            "--operator_tuning=off",
                                            "--no_bank",
                                            "--progress_file=" + path_.string()};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), samples.begin(), samples.end());
    return testing::Halftone(words);
  };
  ProcessResult result = run({"tune", "--max_trials=4", "--output=" + (folder_ / "out").string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ProgressRecord record = Written();
  EXPECT_EQ(record.outcome, (RunOutcome{"done", 0, ""}));
  EXPECT_EQ(record.plans_measured, 4U);
  EXPECT_TRUE(record.best.any.has_value());
  EXPECT_EQ(record.best.any, record.best.meeting);
  EXPECT_GT(record.elapsed_s, 0);

  result = run({"tune", "--max_trials=4", "--min_sqnr_db=1000"});
  EXPECT_EQ(result.exit_code, kExitNoneMeetsBound) << result.err;
  record = Written();
  EXPECT_EQ(record.outcome, (RunOutcome{"none_meets", kExitNoneMeetsBound, ""}));
  EXPECT_TRUE(record.best.any.has_value());
  EXPECT_FALSE(record.best.meeting.has_value());

  result = run({"retune", "--no_search", "--front=" + (folder_ / "out").string()});
  record = Written();
  ASSERT_TRUE(record.outcome.has_value()) << result.err;
  EXPECT_EQ(record.outcome->exit_code, result.exit_code);
  // What a clock says of it: it holds, does not, or that is not known.
  EXPECT_THAT(std::pair(record.outcome->exit_code, record.outcome->end),
              ::testing::AnyOf(std::pair(kExitDone, "done"),
                               std::pair(kExitNoneMeetsBound, "does_not_hold"),
                               std::pair(kExitInconclusive, "inconclusive")));
  EXPECT_GT(record.plans_measured, 0U);
}

TEST_F(ProgressFileTest, ANetworkThatIsNotThereIsTheOutcomeOfTheRun) {
  const ProcessResult result = testing::Halftone(
      {"tune", "--model=/nonexistent.onnx", "--inputs=" + Digits("search_inputs.npy"), "--no_bank",
       "--progress_file=" + path_.string()});
  EXPECT_EQ(result.exit_code, kExitFailure);
  ASSERT_TRUE(Written().outcome.has_value());
  EXPECT_EQ(Written().outcome->end, "failed");
  EXPECT_EQ(result.err, "error: " + Written().outcome->message + "\n");
}

}  // namespace
}  // namespace halftone
