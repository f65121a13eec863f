// `halftone fleet` as a user runs it, on this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::SourceDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

class FleetCommandTest : public halftone::testing::FleetFixture {
 protected:
  static ProcessResult Fleet(std::vector<std::string> words) {
    words.insert(words.begin(), {HALFTONE_BINARY, "fleet"});
    return halftone::testing::RunProcess(words,
                                         {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}});
  }

  // Writes FLEET.yaml with these lines behind the folder and options for a short search.
  std::string File(const std::string& lines) const {
    const fs::path digits = SourceDir() / "examples/digits";
    const fs::path file = folder_.path() / "FLEET.yaml";
    WriteFileAtomically(
        file, fmt::format("fleet: out\n"
                          "defaults: {{inputs: '{}', max_samples: 5, max_trials: 2, threads: 1,\n"
                          "           operator_tuning: 'off'}}\n{}",
                          (digits / "search_inputs.npy").string(), lines));
    return file.string();
  }

  static std::string Digits() { return (SourceDir() / "examples/digits/model.onnx").string(); }

  std::string Out() const { return (folder_.path() / "out").string(); }
};

TEST_F(FleetCommandTest, ADryRunChecksAllAndWritesNothing) {
  const ProcessResult result =
      Fleet({"submit", "--dry_run", File("kinds: {a: , b: }\nnetworks: ['" + Digits() + "']\n")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "fleet " + Out() + ": 1 network, 2 kinds, 2 results\n");
  EXPECT_FALSE(fs::exists(Out()));
}

TEST_F(FleetCommandTest, WhatTuneWouldRefuseIsRefusedBeforeAnythingIsQueued) {
  for (const auto& [option, complaint] :
       {std::pair("budge: 5min", "--budge"),
        {"max_trials: many", "--max_trials"},
        {"min_sqnr_db: 40, goal: x, max_trials: -1", "--max_trials"},
        {"min_sqnr_db: loud", "--min_sqnr_db=loud: expected"},
        {"budget: soon", "soon"},
        {"soc_version: Ascend1", "Ascend1"},
        {"keep_dtype: nothing.cfg", "nothing.cfg"}}) {
    const ProcessResult result = Fleet(
        {"submit",
         File(fmt::format("networks: [{{model: '{}', name: net, {}}}]\n", Digits(), option))});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, AllOf(StartsWith("error: options of 'net' for kind 'any': "),
                                  HasSubstr(complaint), HasSubstr("halftone tune --help-all")))
        << option;
    EXPECT_FALSE(fs::exists(Out())) << option;
  }
}

TEST_F(FleetCommandTest, AFileIsNoFolderOfAFleet) {
  WriteFileAtomically(Out(), "text");
  const ProcessResult result =
      Fleet({"submit", "--dry_run", File("networks: ['" + Digits() + "']\n")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("'" + Out() + "' is no folder"));
}

TEST_F(FleetCommandTest, AnotherEngineHasNoneOfTheOptions) {
  const std::string file =
      File("engine_options: {partition: cpu}\nnetworks: ['" + Digits() + "']\n");
  EXPECT_EQ(Fleet({"submit", "--dry_run", "--engine=local", file}).exit_code, 0);
  const ProcessResult unknown = Fleet({"submit", "--dry_run", "--engine=pbs", file});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no engine 'pbs'; expected one of slurm, local"));
}

TEST_F(FleetCommandTest, AFolderWithoutAFleetIsNamed) {
  for (const char* command : {"status", "resume", "report", "retune", "merge"}) {
    const ProcessResult result = Fleet({command, Out()});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_THAT(result.err, StartsWith("error: no fleet in '" + Out() + "'")) << command;
  }
}

TEST_F(FleetCommandTest, AFleetOnThisMachineFromSubmitToRetune) {
  const fs::path broken = folder_.path() / "broken.onnx";
  WriteFileAtomically(broken, "no network");
  const std::string file =
      File("engine: local\nnetworks: [{model: '" + Digits() + "', name: digits}, broken.onnx]\n");
  const ProcessResult submit = Fleet({"submit", file});
  EXPECT_EQ(submit.exit_code, 1) << submit.out << submit.err;
  EXPECT_THAT(submit.out, AllOf(HasSubstr("digits: done: "), HasSubstr("broken: failed: "),
                                HasSubstr("any: 0 banks merged, 1 known before\n")));
  EXPECT_THAT(NamesIn(folder_.path() / "out/rounds/1/results/any"),
              ElementsAre("broken", "digits"));
  EXPECT_THAT(NamesIn(folder_.path() / "out/rounds/1"),
              IsSupersetOf({"report.html", "report.md", "report.csv", "report.json"}));
  EXPECT_TRUE(fs::exists(folder_.path() / "out/merged/any/1/host/halftone.db"));

  const ProcessResult again = Fleet({"submit", file});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("holds a fleet: `halftone fleet resume"));

  const ProcessResult status = Fleet({"status", Out()});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("failed any/broken: failed: "));
  EXPECT_EQ(Fleet({"status", "--check", Out()}).exit_code, 1);

  const ProcessResult resume = Fleet({"resume", Out()});
  EXPECT_THAT(resume.out, HasSubstr("any: nothing to submit: 2 done, 0 queued or running"));
  fs::copy_file(Digits(), broken, fs::copy_options::overwrite_existing);
  const ProcessResult failed = Fleet({"resume", "--failed", Out()});
  EXPECT_EQ(failed.exit_code, 0) << failed.out << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("any: 1 network in 1 task"),
                                HasSubstr("any: 0 banks merged, 2 known before")));
  EXPECT_EQ(Fleet({"status", "--check", Out()}).exit_code, 0);

  const ProcessResult retune = Fleet({"retune", Out()});
  EXPECT_THAT(retune.exit_code, ::testing::AnyOf(0, 3)) << retune.out << retune.err;
  EXPECT_THAT(NamesIn(folder_.path() / "out/rounds/2/results/any"),
              ElementsAre("broken", "digits"));
  EXPECT_EQ(Fleet({"status", "--check", "--round=1", Out()}).exit_code, 0);
}

}  // namespace
}  // namespace halftone
