// Command lines of tasks, and the meaning of their ends.
#include "src/fleet/task_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const TaskPaths kTaskPaths = {.program = "/opt/half tone/halftone",
                              .bank = "/tmp/s/bank",
                              .seed = "",
                              .output = "/tmp/s/out",
                              .progress = "/tmp/s/progress.json"};

const FleetNetwork kNetworkOfTask = {
    .name = "kws", .model = "/m/kws \"1\".onnx", .options = {}, .kinds = {"zen5"}};

TEST(TaskCommandsTest, WordsOfTune) {
  EXPECT_THAT(
      TuneWords(kNetworkOfTask,
                {{"inputs", "a b"}, {"search_again", "true"}, {"budget", "5min"}, {"empty", ""}},
                kTaskPaths),
      ElementsAre("/opt/half tone/halftone", "tune", "--model=/m/kws \"1\".onnx", "--export=none",
                  "--inputs=a b", "--search_again", "--budget=5min",
                  "--empty=", "--op_bank_path=/tmp/s/bank", "--output=/tmp/s/out",
                  "--progress_file=/tmp/s/progress.json"));
}

TEST(TaskCommandsTest, NewerNamesInFilesAreAFlagOfBoth) {
  const OptionList options = {{"write_v2", "true"}};
  EXPECT_THAT(TuneWords(kNetworkOfTask, options, kTaskPaths), ::testing::Contains("--write_v2"));
  const TakesOption takes = [](std::string_view, std::string_view option) {
    return option == "write_v2";
  };
  EXPECT_THAT(RetuneWords(kNetworkOfTask, options, kTaskPaths, "/f/1", takes),
              ::testing::Contains("--write_v2"));
}

TEST(TaskCommandsTest, ModelFilesAreWrittenOnDemand) {
  EXPECT_THAT(TuneWords(kNetworkOfTask, {{"export", "onnx"}}, kTaskPaths),
              ElementsAre("/opt/half tone/halftone", "tune", "--model=/m/kws \"1\".onnx",
                          "--export=onnx", "--op_bank_path=/tmp/s/bank", "--output=/tmp/s/out",
                          "--progress_file=/tmp/s/progress.json"));
}

TEST(TaskCommandsTest, AnOptionOfRetuneAloneGoesToRetuneAndNotToTune) {
  const OptionList options = {{"budget", "5min"}, {"max_slowdown", "1.5"}};
  EXPECT_THAT(TuneWords(kNetworkOfTask, options, kTaskPaths),
              ::testing::Not(::testing::Contains(::testing::HasSubstr("max_slowdown"))));
  const TakesOption takes = [](std::string_view, std::string_view option) {
    return option == "max_slowdown";
  };
  EXPECT_THAT(RetuneWords(kNetworkOfTask, options, kTaskPaths, "/f/1", takes),
              ::testing::Contains("--max_slowdown=1.5"));
}

TEST(TaskCommandsTest, WordsOfRetuneAreThoseThatItHas) {
  const TakesOption takes = [](std::string_view command, std::string_view option) {
    EXPECT_EQ(command, "retune");
    return option == "inputs" || option == "quick";
  };
  EXPECT_THAT(RetuneWords(kNetworkOfTask, {{"inputs", "x"}, {"budget", "5min"}, {"quick", "true"}},
                          kTaskPaths, "/f/rounds/1/results/zen5/kws", takes),
              ElementsAre("/opt/half tone/halftone", "retune", "--model=/m/kws \"1\".onnx",
                          "--export=none", "--inputs=x", "--quick", "--op_bank_path=/tmp/s/bank",
                          "--output=/tmp/s/out", "--progress_file=/tmp/s/progress.json",
                          "--front=/f/rounds/1/results/zen5/kws", "--no_search"));
}

TEST(TaskCommandsTest, AMergedBankIsTheSeed) {
  TaskPaths paths = kTaskPaths;
  paths.seed = "/f/merged/zen5/3";
  EXPECT_THAT(
      TuneWords(kNetworkOfTask, {}, paths),
      ElementsAre("/opt/half tone/halftone", "tune", "--model=/m/kws \"1\".onnx", "--export=none",
                  "--op_bank_path=/tmp/s/bank", "--seed_bank=/f/merged/zen5/3",
                  "--output=/tmp/s/out", "--progress_file=/tmp/s/progress.json"));
}

TEST(TaskCommandsTest, ABudgetOfTimeIsWhatIsLeftOfIt) {
  const auto budget = [](const OptionList& options, double spent_s) {
    return WithRemainingBudget(options, spent_s);
  };
  EXPECT_THAT(budget({{"budget", "5min"}, {"seed", "1"}}, 0),
              ElementsAre(Pair("budget", "5min"), Pair("seed", "1")));
  EXPECT_THAT(budget({{"budget", "5min"}, {"seed", "1"}}, 60),
              ElementsAre(Pair("budget", "240.0s"), Pair("seed", "1")));
  EXPECT_THAT(budget({{"budget", "5min"}}, 290), ElementsAre(Pair("budget", "150.0s")));
  EXPECT_THAT(budget({{"budget", "5min"}}, 600), ElementsAre(Pair("budget", "75.0s")));
  EXPECT_THAT(budget({{"budget", "200"}}, 60), ElementsAre(Pair("budget", "200")));
  EXPECT_THAT(budget({{"budget", "5min"}}, 1e9), ElementsAre(Pair("budget", "30.0s")));
  EXPECT_THAT(budget({{"max_trials", "9"}}, 60), ElementsAre(Pair("max_trials", "9")));
  EXPECT_THAT(budget({}, 0), ::testing::IsEmpty());
  EXPECT_THAT(budget({}, 1), ElementsAre(Pair("budget", ::testing::EndsWith("s"))));
}

TEST(TaskCommandsTest, MeaningOfEveryExitCode) {
  const std::map<int, TaskEnd> answers = {{0, TaskEnd::kDone},       {1, TaskEnd::kFailed},
                                          {2, TaskEnd::kFailed},     {3, TaskEnd::kBoundsNotMet},
                                          {4, TaskEnd::kGateFailed}, {5, TaskEnd::kInconclusive}};
  for (int exit_code = 0; exit_code < 256; ++exit_code) {
    const CommandMeaning meaning = MeaningOf(exit_code);
    if (const auto answer = answers.find(exit_code); answer != answers.end()) {
      EXPECT_EQ(meaning.what, CommandEnd::kAnswered) << exit_code;
      EXPECT_EQ(meaning.end, answer->second) << exit_code;
    } else if (exit_code == 128 + SIGINT) {
      EXPECT_EQ(meaning.what, CommandEnd::kInterrupted);
    } else {
      EXPECT_EQ(meaning.what, CommandEnd::kDied) << exit_code;
      EXPECT_EQ(meaning.end, TaskEnd::kDied) << exit_code;
    }
  }
}

TEST(TaskCommandsTest, LastErrorIsTheLastOfTheProgramElseTheLastLine) {
  EXPECT_EQ(LastError(""), "");
  EXPECT_EQ(LastError("\n \n"), "");
  EXPECT_EQ(LastError("one\ntwo\n\n"), "two");
  EXPECT_EQ(LastError("error: a\nerror: b\nthen this\n"), "b");
  EXPECT_EQ(LastError("warning: w\nerror: cut"), "cut");
  EXPECT_EQ(LastError("an error: inside\n  padded \r\n"), "padded");
}

}  // namespace
}  // namespace halftone
