// Words of sbatch, and what becomes of its answers. What Slurm itself does with these words is
// tested with its daemons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/fleet/fake_slurm.h"

namespace halftone {
namespace {

using ::halftone::testing::kNotThere;
using ::halftone::testing::kTooSlow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SlurmSubmitTest : public halftone::testing::FakeSlurm {};

TEST_F(SlurmSubmitTest, SubmitsAnArrayForAnExclusiveKind) {
  Command("sbatch", {"echo 17"});
  EXPECT_EQ(Engine()->Submit(Job()), "17");
  EXPECT_THAT(
      Calls("sbatch"),
      ElementsAre("sbatch --parsable --comment=halftone-1f --job-name=halftone-zen5 --array=0-11 "
                  "--constraint=zen5 --exclusive --requeue --open-mode=append "
                  "--output=/fleet/log/zen5.%A_%a --signal=B:USR1@60 "
                  "'--wrap=exec /opt/halftone fleet work --element=\"$SLURM_ARRAY_TASK_ID\"'"));
}

// A shell reads the script back as the words of the job.
TEST_F(SlurmSubmitTest, TheScriptExecsTheWordsOfTheJob) {
  Command("sbatch", {"for w; do case $w in --wrap=*) echo \"${w#--wrap=}\" > " +
                     (folder_.path() / "script").string() + " ;; esac; done; echo 17"});
  EngineJob job = Job();
  job.words = {"/usr/bin/printf", "%s|", "a b", "$HOME", "it's", "\"", "\\", "new\nline", ""};
  Engine()->Submit(job);
  const auto result = halftone::testing::RunProcess(
      {"/bin/sh", (folder_.path() / "script").string()}, {{"SLURM_ARRAY_TASK_ID", "7"}});
  EXPECT_EQ(result.out, "a b|$HOME|it's|\"|\\|new\nline||--element=7|");
}

TEST_F(SlurmSubmitTest, SubmitsAPackedKindWithOptionsOfTheUser) {
  Command("sbatch", {"echo 18"});
  EngineJob job = Job();
  job.words = {"/bin/true"};
  job.constraint = "";
  job.exclusive = false;
  job.cpus = 2;
  job.elements = 1;
  job.notice_s = 300;
  EXPECT_EQ(Engine({{"partition", "cpu"},
                    {"time", "02:00:00"},
                    {"nodelist", "n[0-3]"},
                    {"contiguous", "true"},
                    {"comment", "of mine"}})
                ->Submit(job),
            "18");
  EXPECT_THAT(Calls("sbatch"),
              ElementsAre("sbatch --parsable --partition=cpu --time=02:00:00 "
                          "'--nodelist=n[0-3]' --contiguous '--comment=of mine halftone-1f' "
                          "--job-name=halftone-zen5 --array=0-0 --cpus-per-task=2 --requeue "
                          "--open-mode=append --output=/fleet/log/zen5.%A_%a --signal=B:USR1@300 "
                          "'--wrap=exec /bin/true --element=\"$SLURM_ARRAY_TASK_ID\"'"));
}

TEST_F(SlurmSubmitTest, SubmitsAJobWithoutElementsBehindOthers) {
  Command("sbatch", {"echo 19"});
  const EngineJob job = {.name = "halftone-merge",
                         .words = {"/bin/true"},
                         .after = {"17", "18;east"},
                         .log = "/fleet/100%/merge"};
  EXPECT_EQ(Engine()->Submit(job), "19");
  EXPECT_THAT(Calls("sbatch"),
              ElementsAre("sbatch --parsable --comment=halftone-1f --job-name=halftone-merge "
                          "--requeue --open-mode=append --output=/fleet/100%%/merge.%j "
                          "--signal=B:USR1@60 --dependency=afterany:17:18 "
                          "'--wrap=exec /bin/true'"));
}

TEST_F(SlurmSubmitTest, OptionsThatItDoesNotTake) {
  const auto message = [&](const std::string& name, const std::string& value) {
    return Message(ErrorKind::kUsage, [&] { Engine({{name, value}}); });
  };
  EXPECT_EQ(message("array", "0-3"),
            "engine slurm: option 'array': '--array' of sbatch is not the user's here: the fleet "
            "sets it; leave it out");
  EXPECT_EQ(message("arr", "0-3"),
            "engine slurm: option 'arr': '--array' of sbatch is not the user's here: the fleet "
            "sets it; leave it out");
  EXPECT_EQ(message("constraint", "zen5"),
            "engine slurm: option 'constraint': '--constraint' of sbatch is not the user's here: "
            "it is `constraint` of a kind; leave it out");
  EXPECT_EQ(message("--partition", "cpu"),
            "engine slurm: option '--partition': expected a long option of sbatch without its "
            "dashes, as 'partition'");
  EXPECT_EQ(message("partition", "a\nb"),
            "engine slurm: option 'partition': expected a value of one line, found 'a\\nb'");
  EXPECT_EQ(message("partition", ""),
            "engine slurm: option 'partition': expected a value, found none; a flag has the value "
            "true");
  EXPECT_EQ(message("clusters", "a,b"),
            "engine slurm: option 'clusters': expected the name of one cluster, found 'a,b'");
  for (const char* name :
       {"job-name", "exclusive", "cpus-per-task", "requeue", "no-requeue", "open-mode",
        "output",   "error",     "input",         "signal",  "dependency", "kill-on-invalid-dep",
        "wrap",     "parsable",  "nodes",         "ntasks",  "wait",       "test-only",
        "help",     "version"}) {
    EXPECT_THAT(message(name, "true"), HasSubstr("is not the user's here")) << name;
  }
  for (const char* name : {"partition", "account", "time", "qos", "mem", "nodelist", "export",
                           "gres", "reservation", "begin", "chdir", "nice"}) {
    EXPECT_EQ(message(name, "x"), "no error") << name;
  }
}

TEST_F(SlurmSubmitTest, NamesAndPathsThatSlurmCannotTake) {
  Command("sbatch", {"echo 17"});
  EngineJob job = Job();
  job.log = "/fleet/a\nb/log";
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Engine()->Submit(job); }),
              HasSubstr("'--output=/fleet/a\\nb/log.%A_%a': expected one line"));
  job.log = "/fleet/a\\b/log";
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Engine()->Submit(job); }),
              HasSubstr("Slurm writes no log to a path with a backslash"));
  job = Job();
  job.after = {"17", "east"};
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Engine()->Submit(job); }),
            "'east' is no job of Slurm; expected a number");
  EXPECT_THAT(Calls("sbatch"), IsEmpty());
}

TEST_F(SlurmSubmitTest, AConstraintThatNoNodeHas) {
  Command("sbatch", {"echo 'sbatch: error: Batch job submission failed: Invalid feature "
                     "specification' >&2; exit 1"});
  Command("sinfo", {"echo avx512_bf16,zen5; echo avx2; echo zen5"});
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Engine()->Submit(Job()); }),
            "no node of the cluster has the constraint 'zen5' of job 'halftone-zen5': nodes have "
            "avx2, avx512_bf16, zen5");
  EXPECT_THAT(Calls("sinfo"), ElementsAre("sinfo -h -a -o %f"));
  Command("sinfo", {"echo '(null)'"});
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Engine()->Submit(Job()); }),
              HasSubstr("`sinfo -o %f` names none; Features= of slurm.conf gives nodes some"));
  EXPECT_THAT(pauses_, IsEmpty());
}

TEST_F(SlurmSubmitTest, WhatSlurmRefusesIsNotTriedAgain) {
  Command("sbatch", {"echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1"});
  EXPECT_EQ(Message(ErrorKind::kUsage, [&] { Engine()->Submit(Job()); }),
            "Slurm refuses the job 'halftone-zen5': invalid partition specified: nope; the "
            "engine's options and the kind's constraint and cpus decide what it is asked for");
  EXPECT_EQ(Calls("sbatch").size(), 1U);
  Command("sbatch", {"exit 3"});
  EXPECT_THAT(Message(ErrorKind::kUsage, [&] { Engine()->Submit(Job()); }),
              HasSubstr("exit code 3 without a word"));
  Command("sbatch", {"echo Submitted batch job 17"});
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { Engine()->Submit(Job()); }),
              HasSubstr("sbatch printed 'Submitted batch job 17"));
}

TEST_F(SlurmSubmitTest, AControllerThatComesBack) {
  Command("sbatch", {kNotThere, kNotThere, "echo 17"});
  EXPECT_EQ(Engine()->Submit(Job()), "17");
  EXPECT_THAT(pauses_, ElementsAre(1, 3));
  EXPECT_EQ(Calls("sbatch").size(), 3U);
}

// The answer was lost, not the job: a second array would do all work twice. It may have ended, too.
TEST_F(SlurmSubmitTest, WhatArrivedIsNotSubmittedAgain) {
  Command("sbatch", {kTooSlow});
  Command("squeue", {kNotThere, "echo '16|(null)'; echo '17|halftone-1f'"});
  EXPECT_EQ(Engine()->Submit(Job()), "17");
  EXPECT_EQ(Calls("sbatch").size(), 1U);
  EXPECT_THAT(pauses_, ElementsAre(1, 3));
  EXPECT_THAT(Calls("squeue").back(), HasSubstr("squeue -h -a --states=all -o '%F|%k' --user="));
}

TEST_F(SlurmSubmitTest, WhatArrivesLateIsNotSubmittedAgain) {
  Command("sbatch", {kTooSlow});
  Command("squeue", {"echo '16|halftone-0f'", "echo '17|halftone-1f'"});
  EXPECT_EQ(Engine()->Submit(Job()), "17");
  EXPECT_EQ(Calls("sbatch").size(), 1U);
}

TEST_F(SlurmSubmitTest, WhatIsMissingTwiceIsSubmittedAgain) {
  Command("sbatch", {kTooSlow, "echo 18"});
  Command("squeue", {"echo '16|halftone-0f'"});
  EXPECT_EQ(Engine()->Submit(Job()), "18");
  EXPECT_EQ(Calls("sbatch").size(), 2U);
  EXPECT_EQ(Calls("squeue").size(), 2U);
}

// Where nobody can say whether it arrived, it is not submitted again.
TEST_F(SlurmSubmitTest, AQueueThatCannotBeReadSubmitsNothingTwice) {
  Command("sbatch", {kTooSlow});
  Command("squeue", {"echo 'squeue: error: Access denied' >&2; exit 1"});
  EXPECT_THAT(Message(ErrorKind::kIo, [&] { Engine()->Submit(Job()); }),
              HasSubstr("Slurm does not answer, after 5 tries: Batch job submission failed: Socket "
                        "timed out on send/recv operation"));
  EXPECT_EQ(Calls("sbatch").size(), 1U);
}

// Those of options change what commands do or print; those of a task would be the task's next
// jobs'.
TEST_F(SlurmSubmitTest, VariablesOfSlurmDoNotDisturb) {
  constexpr std::pair<const char*, const char*> kVariables[] = {
      {"SQUEUE_FORMAT", "%A"},       {"SQUEUE_STATES", "all"},   {"SBATCH_WAIT", "1"},
      {"SBATCH_ARRAY_INX", "0-9"},   {"SLURM_CLUSTERS", "east"}, {"SLURM_RESTART_COUNT", "3"},
      {"SLURM_ARRAY_TASK_ID", "11"}, {"SBATCH_ACCOUNT", "mine"}, {"SLURM_CONF", "/etc/slurm.conf"},
  };
  for (const auto& [name, value] : kVariables) {
    ::setenv(name, value, 1);
  }
  const std::string seen = (folder_.path() / "seen").string();
  Command("sbatch", {"env | grep -E '^(SLURM|SBATCH|SQUEUE)_' | sort > " + seen + "; echo 17"});
  Engine()->Submit(Job());
  for (const auto& [name, value] : kVariables) {
    ::unsetenv(name);
  }
  EXPECT_EQ(ReadFile(seen), "SBATCH_ACCOUNT=mine\nSLURM_CONF=/etc/slurm.conf\n");
}

}  // namespace
}  // namespace halftone
