#include "src/aoe/workspace.h"

#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

class AoeWorkspaceTest : public ::testing::Test {
 protected:
  AoeWorkspaceTest() {
    fs::remove_all(root_);
    job_.work_root = root_;
    job_.bank.path = "/bank";
    job_.identity = {{"model", "m.onnx"}, {"job_type", "1"}};
  }

  ~AoeWorkspaceTest() override { fs::remove_all(root_); }

  fs::path Record(const std::string& model, const std::string& timestamp,
                  const std::string& state) {
    const AoeWorkspace workspace = NewAoeWorkspace(job_, model, timestamp);
    RecordAoeJob(workspace, job_, state);
    return workspace.folder;
  }

  std::string Message() {
    try {
      return FindInterruptedJob(job_, "m").folder.string();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
  }

  fs::path root_ = fs::path(::testing::TempDir()) /
                   (std::string("halftone_aoe_workspace_") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name());
  AoeJob job_;
};

TEST_F(AoeWorkspaceTest, ThePlacesAreThoseOfAoe) {
  const AoeWorkspace workspace = NewAoeWorkspace(job_, "m", "123");
  EXPECT_EQ(workspace.folder, root_ / "aoe_workspace/m_123");
  EXPECT_EQ(workspace.ResultFolder("m"), root_ / "aoe_workspace/m_123/tunespace/result/m_123_tune");
}

// Two jobs that began in one millisecond had one folder, and the second one failed.
TEST_F(AoeWorkspaceTest, JobsOfOneMomentHaveFoldersOfTheirOwn) {
  EXPECT_EQ(NewAoeWorkspace(job_, "m", "199").folder, root_ / "aoe_workspace/m_199");
  const AoeWorkspace second = NewAoeWorkspace(job_, "m", "199");
  EXPECT_EQ(second.folder, root_ / "aoe_workspace/m_200");
  EXPECT_EQ(second.timestamp, "200");
  EXPECT_EQ(NewAoeWorkspace(job_, "other", "199").folder, root_ / "aoe_workspace/other_199");
}

TEST_F(AoeWorkspaceTest, ReloadFindsTheNewestUnfinishedJobOfTheModel) {
  Record("m", "1001", "interrupted");
  const fs::path killed = Record("m", "1003", "running");
  Record("m", "1004", "finished");
  Record("m_x", "1005", "interrupted");
  Record("other", "1006", "interrupted");
  const AoeWorkspace found = FindInterruptedJob(job_, "m");
  EXPECT_EQ(found.folder, killed);
  EXPECT_EQ(found.timestamp, "1003");
}

TEST_F(AoeWorkspaceTest, ReloadFindsJobsOfItsTypeOnly) {
  job_.identity["job_type"] = "1";
  const fs::path subgraph = Record("m", "1001", "interrupted");
  job_.identity["job_type"] = "2";
  Record("m", "1002", "interrupted");
  job_.identity["job_type"] = "1";
  EXPECT_EQ(FindInterruptedJob(job_, "m").folder, subgraph);
}

TEST_F(AoeWorkspaceTest, ReloadOfANamedJob) {
  job_.reload_folder = Record("m", "1001", "failed");
  Record("m", "1002", "interrupted");
  EXPECT_EQ(FindInterruptedJob(job_, "m").timestamp, "1001");
}

TEST_F(AoeWorkspaceTest, NothingToReload) {
  EXPECT_EQ(Message(), "--reload: found no interrupted job of 'm' in '" +
                           (root_ / "aoe_workspace").string() +
                           "'; start it without --reload, or name its folder");
}

TEST_F(AoeWorkspaceTest, AFinishedJob) {
  job_.reload_folder = Record("m", "1", "finished");
  EXPECT_EQ(Message(), "--reload=" + job_.reload_folder.string() +
                           ": this job is finished; start it again without --reload: what it "
                           "measured is in the bank");
}

TEST_F(AoeWorkspaceTest, AFolderWithoutAJob) {
  job_.reload_folder = root_;
  EXPECT_EQ(Message(),
            "--reload=" + root_.string() + ": expected the folder of a job, which holds job.json");
}

TEST_F(AoeWorkspaceTest, OtherOptions) {
  const fs::path folder = Record("m", "1", "interrupted");
  job_.identity["precision_mode"] = "force_fp32";
  EXPECT_EQ(Message(), "--reload: the job in '" + folder.string() +
                           "' was started with none for --precision_mode, now it is "
                           "'force_fp32'; continue it with the same options");
  job_.identity.erase("precision_mode");
  job_.bank.path = "/elsewhere";
  EXPECT_EQ(Message(), "--reload: the job in '" + folder.string() +
                           "' keeps its measurements in '/bank', now the bank is '/elsewhere'; set "
                           "TUNE_BANK_PATH as it was");
}

TEST_F(AoeWorkspaceTest, AMalformedJobFile) {
  job_.reload_folder = root_;
  const std::string file = (root_ / "job.json").string();
  WriteFileAtomically(file, "");
  EXPECT_EQ(Message(), file + ": expected JSON, found an empty file");
  WriteFileAtomically(file, R"({"state": "running", "bank": 1, "options": {}})");
  EXPECT_EQ(Message().find(file + ": expected the state, bank and options of a job: "), 0U);
  WriteFileAtomically(file, "[]");
  EXPECT_EQ(Message().find(file + ": expected the state, bank and options of a job: "), 0U);
}

}  // namespace
}  // namespace halftone
