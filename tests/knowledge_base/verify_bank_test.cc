#include "knowledge_base/verify_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using testing::BankFolder;
using testing::EditBank;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MeasuredTrial;

class VerifyBankTest : public ::testing::Test {
 protected:
  VerifyBankTest() {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(testing::SampleWorkload());
    store->AddTrial(key, MeasuredTrial(1));
    store->AddTrial(key, MeasuredTrial(2));
    store->AddTrial(key, testing::UnresolvedTrial());
    store->AddFront(testing::SampleFront(key, {MeasuredTrial(1), MeasuredTrial(2)}));
    store->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
    store->AddOperatorTimings(testing::SampleKernels(), {{testing::SampleTiming(1)}});
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
    store->AddCalibration(testing::SampleCalibration(2));
  }

  [[nodiscard]] std::vector<std::string> Findings() const { return VerifyBank(database_).findings; }

  BankFolder folder_;
  std::filesystem::path database_ = folder_.database();
};

constexpr const char* kRestore = ": the file was damaged, restore it from a copy";

TEST_F(VerifyBankTest, ABankAsItWasWritten) {
  const std::string before = ReadFile(database_);
  const BankCheck check = VerifyBank(database_);
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check.records, (std::array<std::int64_t, kRecordKinds>{1, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(ReadFile(database_), before) << "changes nothing";
}

TEST_F(VerifyBankTest, EveryRowHasItsOwnFinding) {
  EditBank(database_,
           "UPDATE trial SET ratio = 0.5 WHERE id = 2;"
           "UPDATE front SET strategy = 'random';"
           "UPDATE sensitivity SET content = '{}';"
           "UPDATE operator_timing SET rounds = 1;"
           "UPDATE operator_profile SET threads = 3;"
           "UPDATE calibration SET histograms = x'00'");
  EXPECT_THAT(Findings(),
              ElementsAre(std::string("trial 2 does not match its checksum") + kRestore,
                          // which is none of its front's any more
                          std::string("front 1 does not match its checksum") + kRestore,
                          std::string("sensitivity 1 does not match its checksum") + kRestore,
                          std::string("operator timing 1 does not match its checksum") + kRestore,
                          std::string("operator profile 1 does not match its checksum") + kRestore,
                          std::string("calibration 1 does not match its checksum") + kRestore));
}

// Sizes are looked at before texts are read.
TEST_F(VerifyBankTest, ACalibrationThatIsTooLong) {
  EditBank(database_, "UPDATE calibration SET quantization = zeroblob(67108865)");
  EXPECT_THAT(Findings(), ElementsAre(std::string("calibration 1 has 67108865 bytes of "
                                                  "quantization, at most 67108864 are read") +
                                      kRestore));
}

TEST_F(VerifyBankTest, KernelsThatWereComparedAndCallsOfAProfile) {
  EditBank(database_,
           "UPDATE operator_timing SET compared = 'matmul.f32.highway';"
           "UPDATE operator_profile SET content = replace(content, '\"sizes\":[]', "
           "'\"sizes\":[1]')");
  EXPECT_THAT(
      Findings(),
      ElementsAre(std::string("operator timing 1 does not match its checksum") + kRestore,
                  std::string("operator profile 1 does not match its checksum") + kRestore));
}

TEST_F(VerifyBankTest, KeysTimesAndWhatRowsName) {
  EditBank(database_,
           "UPDATE workload SET threads = 7;"
           "UPDATE trial SET recorded_at = 'yesterday' WHERE id = 1;"
           "UPDATE trial SET identity = 'x' WHERE id = 3");
  const std::string key = KeyOf(testing::SampleWorkload()).ToHex();
  EXPECT_THAT(
      Findings(),
      ElementsAre("workload 1: workload " + key + " does not match its key" + kRestore,
                  std::string("trial 1 was recorded at 'yesterday', which is no time") + kRestore,
                  std::string("trial 1 does not match its checksum") + kRestore,
                  std::string("trial 3 is filed under another plan") + kRestore));
}

// Another time is a time too, and decides which measurement counts.
TEST_F(VerifyBankTest, AnotherTimeOrNameIsFound) {
  EditBank(database_,
           "UPDATE workload SET model_name = 'squeezenot';"
           "UPDATE trial SET recorded_at = '1999' || substr(recorded_at, 5) WHERE id = 2;"
           "UPDATE front SET recorded_at = '1999' || substr(recorded_at, 5);"
           "UPDATE sensitivity SET recorded_at = '1999' || substr(recorded_at, 5);"
           "UPDATE operator_timing SET recorded_at = '1999' || substr(recorded_at, 5);"
           "UPDATE operator_profile SET recorded_at = '1999' || substr(recorded_at, 5);"
           "UPDATE calibration SET recorded_at = '1999' || substr(recorded_at, 5)");
  const std::string key = KeyOf(testing::SampleWorkload()).ToHex();
  EXPECT_THAT(Findings(),
              ElementsAre("workload 1: workload " + key + " does not match its checksum" + kRestore,
                          std::string("trial 2 does not match its checksum") + kRestore,
                          std::string("sensitivity 1 does not match its checksum") + kRestore,
                          std::string("operator timing 1 does not match its checksum") + kRestore,
                          std::string("operator profile 1 does not match its checksum") + kRestore,
                          std::string("calibration 1 does not match its checksum") + kRestore));
  EditBank(database_, "UPDATE workload SET model_name = 'squeezenet'");
  EXPECT_THAT(Findings(), ::testing::Contains(HasSubstr("front 1 does not match its checksum")));
}

TEST_F(VerifyBankTest, AFrontWhoseTrialIsGone) {
  EditBank(database_, "DELETE FROM trial WHERE id = 1");
  EXPECT_THAT(Findings(),
              ElementsAre("a row of the table metric belongs to a trial that is not there" +
                              std::string(kRestore),
                          "a row of the table front_member belongs to a trial that is not there" +
                              std::string(kRestore),
                          "front 1 names plan " + MeasuredTrial(1).plan_digest.ToHex() +
                              ", of which there is no such trial" + kRestore));
}

TEST_F(VerifyBankTest, TablesOfAnotherShape) {
  EditBank(database_,
           "DROP INDEX front_by_workload;"
           "ALTER TABLE workload ADD COLUMN mood TEXT;"
           "CREATE TABLE songs(title);"
           "UPDATE meta SET value = '4'");
  const std::string now = std::to_string(kSchemaVersion);
  EXPECT_THAT(
      Findings(),
      ElementsAre("the index front_by_workload of schema " + now + " is missing" + kRestore,
                  "the table workload is not that of schema " + now + kRestore,
                  "the table songs is not of halftone: another program has written to the file",
                  "meta.schema_version is 4 and PRAGMA user_version " + now + kRestore));
}

// What opening it refuses at the first finding.
TEST_F(VerifyBankTest, APageThatIsOverwritten) {
  std::string damaged = ReadFile(database_);
  damaged.replace(4096 * 5, 4096, std::string(4096, '\x5a'));
  WriteFileAtomically(database_, damaged);
  EXPECT_THROW(OpenSqliteStore(database_, OpenMode::kReadOnly), Error);
  const std::vector<std::string> findings = Findings();
  ASSERT_FALSE(findings.empty());
  for (const std::string& finding : findings) {
    EXPECT_THAT(finding, HasSubstr(kRestore));
  }
}

// SQLite tells all faults of a page in one text with line breaks: a line of 3,000 characters.
// Page after page is damaged: what cannot be opened any more is an error, all else a list.
TEST_F(VerifyBankTest, EachFaultOfAPageIsAFindingOfItsOwn) {
  constexpr std::size_t kPage = 4096;
  const std::string whole = ReadFile(database_);
  std::size_t listed = 0;
  for (std::size_t at = kPage; at + kPage <= whole.size(); at += kPage) {
    std::string damaged = whole;
    damaged.replace(at + 8, 64, std::string(64, '\xff'));
    WriteFileAtomically(database_, damaged);
    std::vector<std::string> findings;
    try {
      findings = Findings();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
      continue;
    }
    listed += findings.size();
    for (const std::string& finding : findings) {
      EXPECT_EQ(finding.find("\\n"), std::string::npos) << finding;
      EXPECT_EQ(finding.find('\n'), std::string::npos) << finding;
      EXPECT_LT(finding.size(), 400U) << finding;
    }
  }
  EXPECT_GT(listed, 1U);
}

TEST_F(VerifyBankTest, NoBankIsAnError) {
  WriteFileAtomically(database_, std::string(5000, 'x'));
  EXPECT_THROW(VerifyBank(database_), Error);
  std::filesystem::remove(database_);
  EXPECT_THROW(VerifyBank(database_), Error);
  EXPECT_FALSE(std::filesystem::exists(database_));
}

}  // namespace
}  // namespace halftone
