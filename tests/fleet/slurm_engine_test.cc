// Questions of the engine to Slurm, and what becomes of the answers.
#include "src/fleet/slurm_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/fake_slurm.h"

namespace halftone {
namespace {

using ::halftone::testing::kForgotten;
using ::halftone::testing::kNotThere;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SlurmEngineTest : public halftone::testing::FakeSlurm {};

TEST_F(SlurmEngineTest, AJobOfANamedCluster) {
  Command("sbatch", {"echo '17;east'"});
  Command("squeue", {"echo '17_0|RUNNING|n1|None'"});
  Command("scontrol", {"echo 'MaxArraySize = 4'; echo 'MaxJobCount = 100'"});
  const auto engine = Engine({{"clusters", "east"}});
  EXPECT_EQ(engine->Submit(Job()), "17;east");
  EXPECT_THAT(Calls("sbatch").front(), HasSubstr(" --clusters=east "));
  const auto active = engine->Active(std::vector<std::string>{"17;east"});
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active[0].job, "17;east");
  EXPECT_THAT(Calls("squeue"), ElementsAre("squeue --clusters=east -h -a -r -o '%i|%T|%N|%r' "
                                           "--jobs=17"));
  EXPECT_EQ(engine->MostElements(), 4U);
  EXPECT_THAT(Calls("scontrol"), ElementsAre("scontrol --clusters=east show config"));
}

TEST_F(SlurmEngineTest, AControllerThatStaysAway) {
  Command("squeue", {kNotThere});
  EXPECT_EQ(
      Message(ErrorKind::kIo, [&] { Engine()->Active(std::vector<std::string>{"17"}); }),
      "Slurm does not answer, after 5 tries: Unable to contact slurm controller (connect "
      "failure); look at `scontrol ping`, and at `squeue --me` for a job that arrived all the "
      "same, before you give the command again; what was submitted goes on");
  EXPECT_THAT(pauses_, ElementsAre(1, 3, 9, 27));
}

TEST_F(SlurmEngineTest, WhoWaitsForAnAnswerAsksOnce) {
  Command("squeue", {kNotThere});
  const auto engine = Engine();
  engine->AskOnce();
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { engine->Active(std::vector<std::string>{"17"}); }),
              ::testing::StartsWith("Slurm does not answer, after one try: Unable to contact"));
  EXPECT_THAT(pauses_, ElementsAre());
  EXPECT_EQ(Calls("squeue").size(), 1U);
}

TEST_F(SlurmEngineTest, CommandsThatAreNotInstalled) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Engine()->MostElements(); }),
            "the engine slurm needs the commands of Slurm in PATH (package slurm-client of Debian "
            "and Ubuntu, slurm of others) on a machine that may submit jobs: 'scontrol' cannot be "
            "started: No such file or directory");
}

TEST_F(SlurmEngineTest, ElementsAreLimitedByArraysAndHalfOfAllJobs) {
  const auto most = [&](int array, int jobs) {
    Command("scontrol", {"echo 'MaxArraySize            = " + std::to_string(array) +
                         "'; echo 'MaxJobCount             = " + std::to_string(jobs) + "'"});
    return Engine()->MostElements();
  };
  EXPECT_EQ(most(1001, 10000), 1001U);
  EXPECT_EQ(most(1001, 100), 50U);
  EXPECT_EQ(most(1, 10000), 1U);
  EXPECT_EQ(most(1001, 1), 1U);
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { most(0, 10000); }), HasSubstr("MaxArraySize is 0"));
  Command("scontrol", {"echo 'MaxArraySize = 1001'"});
  EXPECT_EQ(Message(ErrorKind::kIo, [&] { Engine()->MostElements(); }),
            "`scontrol show config` says nothing of MaxJobCount; expected a number");
}

TEST_F(SlurmEngineTest, ActiveAsksForTheseJobs) {
  Command("squeue", {"echo '17_0|RUNNING|n1|None'; echo '17_1|PENDING||Resources'; "
                     "echo '19|PENDING||Dependency'; echo '44|RUNNING|n2|None'"});
  const auto active = Engine()->Active(std::vector<std::string>{"17", "19"});
  EXPECT_THAT(Calls("squeue"), ElementsAre("squeue -h -a -r -o '%i|%T|%N|%r' --jobs=17,19"));
  ASSERT_EQ(active.size(), 3U);
  EXPECT_EQ(active[0].job, "17");
  EXPECT_EQ(active[0].element, 0U);
  EXPECT_EQ(active[0].state, EngineTask::State::kRunning);
  EXPECT_EQ(active[0].node, "n1");
  EXPECT_EQ(active[1].element, 1U);
  EXPECT_EQ(active[1].state, EngineTask::State::kQueued);
  EXPECT_EQ(active[1].reason, "Resources");
  EXPECT_EQ(active[2].job, "19");
  EXPECT_EQ(active[2].element, std::nullopt);
}

TEST_F(SlurmEngineTest, NoJobsAreNoQuestion) {
  EXPECT_THAT(Engine()->Active({}), IsEmpty());
  EXPECT_THAT(
      Message(ErrorKind::kUsage, [&] { Engine()->Active(std::vector<std::string>{"--all"}); }),
      HasSubstr("'--all' is no job of Slurm"));
}

TEST_F(SlurmEngineTest, ForgottenJobsHaveEnded) {
  Command("squeue", {kForgotten});
  EXPECT_THAT(Engine()->Active(std::vector<std::string>{"17"}), IsEmpty());
  EXPECT_EQ(Calls("squeue").size(), 1U);
}

TEST_F(SlurmEngineTest, OneForgottenJobHidesNoOther) {
  Command("squeue", {kForgotten, kForgotten, "echo '19|RUNNING|n1|None'"});
  const auto active = Engine()->Active(std::vector<std::string>{"17", "19"});
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active[0].job, "19");
  EXPECT_EQ(Calls("squeue").size(), 3U);
}

TEST_F(SlurmEngineTest, AQueueThatFails) {
  Command("squeue", {"echo 'squeue: error: Invalid user for SlurmUser slurm' >&2; exit 1"});
  EXPECT_EQ(Message(ErrorKind::kIo, [&] { Engine()->Active(std::vector<std::string>{"17"}); }),
            "`squeue` fails: Invalid user for SlurmUser slurm");
}

TEST_F(SlurmEngineTest, ManyJobsAreAskedForInParts) {
  Command("squeue", {"true"});
  std::vector<std::string> jobs(1200);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = std::to_string(100000 + i);
  }
  EXPECT_THAT(Engine()->Active(jobs), IsEmpty());
  EXPECT_EQ(Calls("squeue").size(), 3U);
}

TEST_F(SlurmEngineTest, WithdrawsWhatWaits) {
  Command("scancel", {"true"});
  Engine()->Withdraw({.job = "17", .element = 3});
  Engine()->Withdraw({.job = "18;east"});
  EXPECT_THAT(Calls("scancel"), ElementsAre("scancel --state=PENDING 17_3",
                                            "scancel --clusters=east --state=PENDING 18"));
  Command("scancel", {kForgotten});
  Engine()->Withdraw({.job = "17", .element = 3});
  Command("scancel",
          {"echo 'scancel: error: Kill job error on job id 17: Access denied' >&2; exit 1"});
  EXPECT_EQ(Message(ErrorKind::kIo, [&] { Engine()->Withdraw({.job = "17", .element = 3}); }),
            "`scancel 17_3` fails: Kill job error on job id 17: Access denied");
}

TEST_F(SlurmEngineTest, RequeuesTheElementItIsIn) {
  Command("scontrol", {"true"});
  EXPECT_FALSE(Engine()->RequeueThis());
  EXPECT_THAT(Calls("scontrol"), IsEmpty());
  ::setenv("SLURM_JOB_ID", "17", 1);  // as of the last element
  ::setenv("SLURM_ARRAY_JOB_ID", "17", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "11", 1);
  EXPECT_TRUE(Engine()->RequeueThis());
  ::unsetenv("SLURM_ARRAY_JOB_ID");
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_TRUE(Engine()->RequeueThis());
  EXPECT_THAT(Calls("scontrol"), ElementsAre("scontrol requeue 17_11", "scontrol requeue 17"));
  Command("scontrol", {"kill -TERM $$"});
  EXPECT_TRUE(Engine()->RequeueThis());
  Command("scontrol", {"echo 'Unexpected message received for job 17' >&2; exit 1",
                       "echo '17: Job is pending execution' >&2; exit 1"});
  EXPECT_TRUE(Engine()->RequeueThis());
  EXPECT_THAT(pauses_, ElementsAre(1));
  Command("scontrol", {"echo 'Requested operation is presently disabled for job 17' >&2; exit 1"});
  EXPECT_EQ(Message(ErrorKind::kIo, [&] { Engine()->RequeueThis(); }),
            "`scontrol requeue 17` fails: Requested operation is presently disabled for job 17");
  ::unsetenv("SLURM_JOB_ID");
}

}  // namespace
}  // namespace halftone
