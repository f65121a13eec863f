// `halftone bank` and `halftone retune` as a user meets them: errors, exit codes, pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ErrorCase {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code;
  const char* message;
};

class BankErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(BankErrorTest, OneSentenceOnStderrAndTheRightExitCode) {
  std::vector<std::string> arguments = GetParam().arguments;
  if (arguments.front() == "retune") {
    const fs::path digits = SourceDir() / "examples/digits";
    arguments.push_back("--model=" + (digits / "model.onnx").string());
    arguments.push_back("--inputs=" + (digits / "search_inputs.npy").string());
  }
  const ProcessResult result = Halftone(arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_THAT(result.err, StartsWith("error: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_FALSE(fs::exists("nowhere")) << "made by what failed";
}

const ErrorCase kErrors[] = {
    {"MergeOfNothing",
     {"bank", "merge", "nothing", "--op_bank_path=nowhere"},
     1,
     "there is no knowledge base 'nothing/host/halftone.db'"},
    {"MergeWithoutBanks", {"bank", "merge"}, 2, "from is required; see halftone bank --help"},
    {"VerifyMissing",
     {"bank", "verify", "--op_bank_path=nowhere"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db'"},
    {"PruneNothing",
     {"bank", "prune", "--op_bank_path=nowhere"},
     2,
     "bank prune: nothing says what may go; give --other_versions, --older_than, --keep_newest, "
     "--superseded or --dominated, and --dry_run to see what would"},
    {"PruneZero",
     {"bank", "prune", "--keep_newest=0", "--op_bank_path=nowhere"},
     2,
     "--keep_newest: expected a whole number from 1 to 1000000000, found '0'"},
    {"PruneMissing",
     {"bank", "prune", "--superseded", "--op_bank_path=nowhere"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db'"},
    {"ExportMissing",
     {"bank", "export", "--output=nowhere.jsonl", "--op_bank_path=nowhere"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db'"},
    {"ImportMissing",
     {"bank", "import", "nothing.jsonl", "--op_bank_path=nowhere"},
     1,
     "cannot read 'nothing.jsonl': expected a file of `halftone bank export`, or - for standard "
     "input"},
    {"RetuneWithoutAnything",
     {"retune", "--no_bank"},
     2,
     "--no_bank leaves no front to measure again; name the shipped front.json with --front"},
    {"RetuneWithAnotherBankAndNone",
     {"retune", "--front=nothing.json", "--no_bank", "--seed_bank=nothing"},
     2,
     "--seed_bank adds to the knowledge base of --op_bank_path: leave --no_bank out, or "
     "--seed_bank"},
    {"RetuneFromAMissingBank",
     {"retune", "--seed_bank=nothing", "--op_bank_path=nowhere", "--max_samples=1"},
     1,
     "--seed_bank=nothing: expected the folder of a knowledge base, above <soc_version>, but it "
     "does "
     "not exist"},
    {"RetuneMissingBank",
     {"retune", "--op_bank_path=nowhere", "--max_samples=1"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db'"},
};

INSTANTIATE_TEST_SUITE_P(Table, BankErrorTest, ::testing::ValuesIn(kErrors),
                         [](const auto& row) { return row.param.name; });

class BankCommandTest : public ::testing::Test {
 protected:
  BankCommandTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const ProcessResult filled =
        Halftone({"bank", "import", OldExport("schema_18").string(), Bank("a")});
    EXPECT_EQ(filled.exit_code, 0) << filled.err;
  }

  ~BankCommandTest() override { fs::remove_all(folder_); }

  // An export of an older program.
  static fs::path OldExport(const std::string& name) {
    return SourceDir() / "tests/data/bank_exports" / (name + ".jsonl");
  }

  [[nodiscard]] std::string Bank(const std::string& name) const {
    return "--op_bank_path=" + (folder_ / name).string();
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_bank_command_test_" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(BankCommandTest, ExportAndImportMayBeAPipe) {
  const ProcessResult piped =
      RunProcess({"/bin/sh", "-c",
                  std::string(HALFTONE_BINARY) + " bank export " + Bank("a") + " | " +
                      HALFTONE_BINARY + " bank import - " + Bank("b")},
                 {{"TUNE_BANK_PATH", ""}});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out,
              StartsWith("imported 'standard input': added 1 workload, 3 trials, 1 front, "
                         "1 sensitivity, 2 operator timings, 1 operator profile, 1 calibration; "
                         "nothing known already\n"));
  EXPECT_EQ(Halftone({"bank", "export", Bank("b")}).out,
            Halftone({"bank", "export", Bank("a")}).out);
}

TEST_F(BankCommandTest, MergingTwiceAddsNothing) {
  const std::string from = (folder_ / "a").string();
  EXPECT_THAT(Halftone({"bank", "merge", from, Bank("b")}).out, HasSubstr(": added 1 workload, "));
  EXPECT_THAT(Halftone({"bank", "merge", from, Bank("b")}).out,
              HasSubstr(": added nothing; 1 workload, 3 trials, 1 front, 1 sensitivity, 2 operator "
                        "timings, 1 operator profile, 1 calibration known already\n"));
}

TEST_F(BankCommandTest, AnOldExportIsImportedAndWhatCannotBeAddedIsSaid) {
  const std::string file = OldExport("schema_4").string();
  const ProcessResult result = Halftone({"bank", "import", file, Bank("b")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("imported '" + file +
                         "': added 1 workload, 3 trials, 2 operator timings; nothing known "
                         "already\nleft out 1 front, 1 sensitivity that cannot be added; the first "
                         "is line 6: it names plan 00000000000000640000000000000002, of which the "
                         "export holds no measurement\nknowledge base: "));
  EXPECT_EQ(Halftone({"bank", "verify", Bank("b")}).exit_code, 0);
}

TEST_F(BankCommandTest, VerifyEndsWithOneWhenThereIsAFinding) {
  const std::string name = "squeezenet";
  const fs::path database = folder_ / "a/host/halftone.db";
  const std::size_t at = ReadFile(database).find(name);
  ASSERT_NE(at, std::string::npos);
  std::fstream file(database, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at + name.size() - 2));
  file.write("o", 1);
  file.close();
  const ProcessResult result = Halftone({"bank", "verify", Bank("a")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, StartsWith("workload 1: workload "));
  EXPECT_THAT(result.out, HasSubstr("does not match its checksum: the file was damaged"));
  EXPECT_THAT(result.out, HasSubstr("': checked 1 workload, 3 trials, 1 front, 1 sensitivity, 2 "
                                    "operator timings, 1 operator profile, 1 calibration: 1 "
                                    "finding\n"));
}

// PRAGMA application_id and user_version, as programs of before schema 1 wrote them.
TEST_F(BankCommandTest, ABankOfALayoutOfBeforeIsRefusedByEveryCommand) {
  const fs::path database = folder_ / "a/host/halftone.db";
  std::fstream file(database, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(60);
  file.write("\0\0\0\x12", 4);
  file.seekp(68);
  file.write("hftn", 4);
  file.close();
  const std::string before = ReadFile(database);
  const std::string from = (folder_ / "a").string();
  const std::string to = OldExport("schema_4").string();
  const std::vector<std::string> commands[] = {{"list", Bank("a")},
                                               {"show", Bank("a")},
                                               {"verify", Bank("a")},
                                               {"export", Bank("a")},
                                               {"prune", "--superseded", Bank("a")},
                                               {"import", to, Bank("a")},
                                               {"merge", from, Bank("b")}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), "bank");
    const ProcessResult result = Halftone(command);
    EXPECT_EQ(result.exit_code, 1) << command[1];
    EXPECT_EQ(result.err,
              "error: the knowledge base '" + database.string() +
                  "' is of a layout of before the first release (schema 18 of 'hftn', expected 1 "
                  "of 'hfbk'): export it with the halftone that wrote it (`halftone bank export`) "
                  "and add that here with `halftone bank import`, or use another folder for the "
                  "bank\n")
        << command[1];
  }
  EXPECT_EQ(ReadFile(database), before);
}

// `bank list` and all others waited for ever.
TEST_F(BankCommandTest, APipeInPlaceOfTheBankDoesNotHang) {
  fs::create_directories(folder_ / "pipe/host");
  const fs::path pipe = folder_ / "pipe/host/halftone.db";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string sentence = "error: '" + pipe.string() +
                               "' is a named pipe, not a knowledge base: check the folder of the "
                               "bank, or move it away to start a new one\n";
  const std::string from = (folder_ / "a").string();
  const std::vector<std::string> commands[] = {{"list"},
                                               {"show"},
                                               {"verify"},
                                               {"export"},
                                               {"prune", "--superseded"},
                                               {"prune", "--superseded", "--dry_run"},
                                               {"merge", from},
                                               {"import", "/dev/null"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), "bank");
    command.push_back(Bank("pipe"));
    const ProcessResult result = Halftone(command);
    EXPECT_EQ(result.exit_code, 1) << command[1];
    EXPECT_EQ(result.err, sentence) << command[1];
  }
  const ProcessResult merged = Halftone({"bank", "merge", pipe.string(), Bank("a")});
  EXPECT_EQ(merged.err, sentence);
}

// "table meta already exists (SQLite code 1)"
TEST_F(BankCommandTest, ABankOfVersionMinusOneIsDamaged) {
  std::fstream file(folder_ / "a/host/halftone.db",
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(60);  // PRAGMA user_version
  file.write("\xff\xff\xff\xff", 4);
  file.close();
  for (const char* command : {"list", "verify", "export"}) {
    const ProcessResult result = Halftone({"bank", command, Bank("a")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("is damaged or cut short (PRAGMA user_version is -1 and "
                                      "meta.schema_version 1): restore it from a copy"));
  }
}

// "disk I/O error", or ended by SIGXFSZ.
TEST_F(BankCommandTest, VerifyAndExportNeedNoRoom) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the runtime of the thread sanitizer writes a file of its own when it starts";
#endif
  const auto limited = [&](const std::string& command) {
    return RunProcess({"/bin/sh", "-c",
                       "(ulimit -f 0; exec " + std::string(HALFTONE_BINARY) + " bank " + command +
                           " " + Bank("a") + " 2>&1) | cat"},
                      {{"TUNE_BANK_PATH", ""}})
        .out;
  };
  for (const std::string command :
       {"list", "show", "verify", "export", "prune --dry_run --superseded"}) {
    std::vector<std::string> words = {"bank"};
    std::istringstream stream(command);
    for (std::string word; stream >> word;) {
      words.push_back(word);
    }
    words.push_back(Bank("a"));
    const ProcessResult unlimited = Halftone(words);
    EXPECT_EQ(limited(command), unlimited.err + unlimited.out) << command;
  }
}

// A flipped bit in the byte that says how the file is written passed `verify`: SQLite reads such a
// file, and does not write it.
TEST_F(BankCommandTest, ABankThatCanOnlyBeReadDoesNotVerify) {
  std::fstream file(folder_ / "a/host/halftone.db",
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(18);
  file.write("\x06", 1);
  file.close();
  const ProcessResult result = Halftone({"bank", "verify", Bank("a")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the file says that it is written in format 6 and read in "
                                    "format 2, expected 1 or 2 for both: the file was damaged"));
}

TEST_F(BankCommandTest, PruneSaysWhatWent) {
  const ProcessResult would =
      Halftone({"bank", "prune", "--other_versions", "--dry_run", Bank("a")});
  EXPECT_EQ(would.exit_code, 0) << would.err;
  EXPECT_THAT(would.out, StartsWith("would remove 1 workload:\n"));
  EXPECT_THAT(would.out, HasSubstr("would remove of what stays: 2 operator timings, 1 operator "
                                   "profile, 1 calibration\n"));
  const ProcessResult result = Halftone({"bank", "prune", "--other_versions", Bank("a")});
  EXPECT_THAT(result.out, StartsWith("removed 1 workload:\n"));
  EXPECT_EQ(Halftone({"bank", "verify", Bank("a")}).exit_code, 0);
  EXPECT_EQ(Halftone({"bank", "list", Bank("a")}).out, "the knowledge base is empty\n");
}

}  // namespace
}  // namespace halftone
