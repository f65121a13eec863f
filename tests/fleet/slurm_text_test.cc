// Texts as Slurm 22.05 prints them, and forms that other releases have.
#include "src/fleet/slurm_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "17_3 runs on n1", "17 waits: Resources".
std::vector<std::string> Said(std::string_view out) {
  std::vector<std::string> said;
  for (const EngineTask& task : ParseSqueue(out)) {
    std::string text = task.job;
    text += task.element ? "_" + std::to_string(*task.element) : "";
    text += task.state == EngineTask::State::kRunning ? " runs" : " waits";
    text += task.node.empty() ? "" : " on " + task.node;
    text += task.reason.empty() ? "" : ": " + task.reason;
    said.push_back(text);
  }
  return said;
}

TEST(ParseSqueueTest, ElementsAndJobs) {
  EXPECT_THAT(Said("17_3|RUNNING|n1|None\n17_10|PENDING||Resources\n18|PENDING||Dependency\n"),
              ElementsAre("17_3 runs on n1", "17_10 waits: Resources", "18 waits: Dependency"));
  EXPECT_THAT(Said(""), IsEmpty());
}

TEST(ParseSqueueTest, ReasonsHoldCommasAndBars) {
  EXPECT_THAT(Said("1|PENDING||ReqNodeNotAvail, UnavailableNodes:n[0-3]\n2|PENDING||a|b\n"),
              ElementsAre("1 waits: ReqNodeNotAvail, UnavailableNodes:n[0-3]", "2 waits: a|b"));
}

TEST(ParseSqueueTest, StatesOfWhatWaits) {
  EXPECT_THAT(
      Said("1|CONFIGURING|n2|None\n2|REQUEUED||None\n3|REQUEUE_HOLD||\n"
           "4|PENDING||launch failed requeued held\n5|SPECIAL_EXIT||(null)\n"),
      ElementsAre("1 waits on n2: CONFIGURING", "2 waits: REQUEUED", "3 waits: REQUEUE_HOLD",
                  "4 waits: launch failed requeued held", "5 waits: SPECIAL_EXIT"));
}

TEST(ParseSqueueTest, WhatSlurmHoldsAfterAFailedStart) {
  const std::vector<EngineTask> tasks = ParseSqueue(
      "1_2|PENDING||launch failed requeued held\n2|PENDING||JobHeldUser\n3|PENDING||Resources\n");
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_TRUE(tasks[0].is_held);
  EXPECT_FALSE(tasks[1].is_held);  // somebody wants it so
  EXPECT_FALSE(tasks[2].is_held);
}

TEST(ParseSqueueTest, StatesOfWhatHasProcessesOnANode) {
  EXPECT_THAT(Said("1|COMPLETING|n1|NonZeroExitCode\n2|SUSPENDED|n2|None\n3|STOPPED|n2|None\n"),
              ElementsAre("1 runs on n1: NonZeroExitCode", "2 runs on n2: SUSPENDED",
                          "3 runs on n2: STOPPED"));
}

TEST(ParseSqueueTest, WhatEndedIsNotListed) {
  EXPECT_THAT(Said("1|COMPLETED||None\n2|CANCELLED||None\n3|NODE_FAIL||None\n4|TIMEOUT||None\n"
                   "5|FAILED||None\n6|OUT_OF_MEMORY||None\n7|PREEMPTED||None\n8|REVOKED||None\n"),
              IsEmpty());
}

TEST(ParseSqueueTest, AStateOfALaterReleaseIsNotLost) {
  EXPECT_THAT(Said("1|HIBERNATING|n1|None\n"), ElementsAre("1 waits on n1: HIBERNATING"));
}

TEST(ParseSqueueTest, EmptyLinesAndHeadlinesOfClusters) {
  EXPECT_THAT(Said("CLUSTER: east\r\n\n  17|RUNNING|n1|None\r\n"), ElementsAre("17 runs on n1"));
}

TEST(ParseSqueueTest, OddLines) {
  for (const char* line :
       {"17", "17|RUNNING", "17|RUNNING|n1", "17||n1|None", "|RUNNING|n1|None",
        "17_[0-3]|PENDING||None", "17_|PENDING||None", "_3|PENDING||None", "-1|PENDING||None",
        "17+1|RUNNING|n1|None", "17_4294967296|RUNNING|n1|None", "JOBID|STATE|NODELIST|REASON"}) {
    try {
      ParseSqueue(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo);
      EXPECT_EQ(std::string(error.what()),
                "squeue printed '" + std::string(line) +
                    "'; expected ID|STATE|NODES|REASON with an id as 17 or 17_3");
    }
  }
}

TEST(SlurmJobNameTest, AClusterMayFollow) {
  EXPECT_EQ(ParseSlurmJobName("17"), (SlurmJobName{"17", ""}));
  EXPECT_EQ(ParseSlurmJobName("17;east-2"), (SlurmJobName{"17", "east-2"}));
  for (const char* text : {"", ";", "17;", ";east", "17;-M", "17;a b", "17;a,b", "x", "-1", "+1",
                           "17_3", "Submitted batch job 17", "17;a;b"}) {
    EXPECT_EQ(ParseSlurmJobName(text), std::nullopt) << text;
  }
  EXPECT_EQ(ToText({"17", ""}), "17");
  EXPECT_EQ(ToText({"17", "east"}), "17;east");
}

TEST(FindByCommentTest, TheTokenIsTheCommentsEnd) {
  const std::string_view out = "16|(null)\n17|my fleet halftone-1f\n18|halftone-2f\n";
  EXPECT_EQ(FindByComment(out, "halftone-1f"), "17");
  EXPECT_EQ(FindByComment(out, "halftone-2f"), "18");
  EXPECT_EQ(FindByComment(out, "halftone-3f"), std::nullopt);
}

TEST(ConfigNumberTest, ReadsALineOfItsName) {
  const std::string_view out =
      "Configuration data as of 2026-11-26T17:00:00\nMaxArraySize            = 1001\n"
      "MaxJobCount             = 10000\nMaxTasksPerNode         = many\n";
  EXPECT_EQ(ConfigNumber(out, "MaxArraySize"), 1001U);
  EXPECT_EQ(ConfigNumber(out, "MaxJobCount"), 10000U);
  EXPECT_EQ(ConfigNumber(out, "MaxTasksPerNode"), std::nullopt);
  EXPECT_EQ(ConfigNumber(out, "MaxJob"), std::nullopt);
}

TEST(ParseFeaturesTest, EachOnce) {
  EXPECT_THAT(ParseFeatures("avx512_bf16,zen5\n(null)\navx2\nzen5,avx2\n"),
              ElementsAre("avx2", "avx512_bf16", "zen5"));
  EXPECT_THAT(ParseFeatures("(null)\n"), IsEmpty());
}

TEST(SlurmFailureTest, ByWhatCommandsSay) {
  const auto kind = [](std::string_view err) { return FailureOf(err); };
  EXPECT_EQ(kind("sbatch: error: Batch job submission failed: Unable to contact slurm controller "
                 "(connect failure)"),
            SlurmFailure::kNotReached);
  EXPECT_EQ(kind("slurm_load_jobs error: Socket timed out on send/recv operation"),
            SlurmFailure::kNoAnswer);
  EXPECT_EQ(kind("slurm_load_jobs error: Invalid job id specified"), SlurmFailure::kForgotten);
  EXPECT_EQ(kind("sbatch: error: Batch job submission failed: Invalid feature specification"),
            SlurmFailure::kNoSuchFeature);
  EXPECT_EQ(kind("sbatch: error: Batch job submission failed: Invalid qos specification"),
            SlurmFailure::kRefused);
}

TEST(SlurmFailureTest, TextIsOneLineWithoutNamesOfPrograms) {
  EXPECT_EQ(FailureText("sbatch: error: invalid partition specified: nope\n"
                        "sbatch: error: Batch job submission failed: Invalid partition name "
                        "specified\n"),
            "invalid partition specified: nope; Batch job submission failed: Invalid partition "
            "name specified");
  EXPECT_EQ(FailureText("sbatch: unrecognized option '--foo=9'\nTry \"sbatch --help\" for more "
                        "information\n"),
            "unrecognized option '--foo=9'");
}

}  // namespace
}  // namespace halftone
