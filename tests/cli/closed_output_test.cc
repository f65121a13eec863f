// Nobody reads what the program prints: before it starts, while it works, not at all. It ends with
// 141 or with its work done, no signal ends it, and what it writes to files and banks is whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::Stream;
using ::testing::AnyOf;
using ::testing::AnyOfArray;
using ::testing::HasSubstr;

constexpr int kClosedPipe = 141;
// Of `retune`: speed-ups of microseconds need not be found again on a machine that others use.
constexpr int kNoneHolds = 3;
constexpr int kInconclusive = 5;

struct CommandCase {
  const char* name;
  // $model and $inputs are of the example network, $bank and $front of a search that is over, $own
  // is a folder of this case.
  std::vector<std::string> arguments;
  int exit_code;       // where all is read
  bool prints = true;  // on standard output
  std::vector<int> or_exit_codes;

  [[nodiscard]] std::vector<int> exit_codes() const {
    std::vector<int> codes = or_exit_codes;
    codes.push_back(exit_code);
    return codes;
  }
};

const std::vector<std::string> kSearch = {"--model=$model", "--inputs=$inputs", "--max_samples=5",
                                          "--threads=1"};

std::vector<std::string> Searching(std::vector<std::string> words,
                                   const std::vector<std::string>& more) {
  words.insert(words.end(), kSearch.begin(), kSearch.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const CommandCase kCommands[] = {
    {"Help", {"--help"}, 0},
    {"Version", {"--version"}, 0},
    {"TuneHelp", {"tune", "--help"}, 0},
    {"AoeHelp", {"aoe", "--help"}, 0},
    {"Usage", {"tune"}, 2, false},
    {"NoModel", {"explain", "--model=nowhere.onnx"}, 1, false},
    {"Explain", {"explain", "--model=$model"}, 0},
    {"ExplainJson", {"explain", "--model=$model", "--format=json", "--output=$own/options"}, 0},
    {"Run", Searching({"run"}, {}), 0},
    {"Profile", Searching({"run"}, {"--profile_output=$own/profile"}), 0},
    {"Check", {"run", "--check", "$own"}, 1},
    {"Tune",
     Searching({"tune"}, {"--max_trials=2", "--operator_tuning=off", "--op_bank_path=$own/bank",
                          "--output=$own/out", "--junit=$own/junit.xml"}),
     0},
    {"TuneFromBank",
     Searching({"tune"}, {"--max_trials=4", "--operator_tuning=off", "--op_bank_path=$bank"}), 0},
    {"Retune",
     Searching({"retune"}, {"--operator_tuning=off", "--no_search", "--no_bank", "--front=$front",
                            "--output=$own/out"}),
     0,
     true,
     {kNoneHolds, kInconclusive}},
    {"BankList", {"bank", "list", "--op_bank_path=$bank"}, 0},
    {"BankShow", {"bank", "show", "--op_bank_path=$bank"}, 0},
    {"BankVerify", {"bank", "verify", "--op_bank_path=$bank"}, 0},
    {"BankMerge", {"bank", "merge", "$bank", "--op_bank_path=$own/bank"}, 0},
    {"BankPrune", {"bank", "prune", "--superseded", "--dry_run", "--op_bank_path=$bank"}, 0},
    {"BankExport", {"bank", "export", "--op_bank_path=$bank"}, 0},
    {"BankExportFile", {"bank", "export", "--op_bank_path=$bank", "--output=$own/rows"}, 0},
    {"Aoe",
     {"aoe", "--model=$model", "--job_type=1", "--inputs=$inputs", "--max_samples=5", "--threads=1",
      "--max_trials=2", "--output=$own/out"},
     0},
};

struct StreamsCase {
  const char* name;
  Stream out;
  Stream err;
};

const StreamsCase kStreams[] = {
    {"NobodyReadsOutput", Stream::kNobodyReads, Stream::kCaptured},
    {"NobodyReadsErrors", Stream::kCaptured, Stream::kNobodyReads},
    {"NobodyReadsAnything", Stream::kNobodyReads, Stream::kNobodyReads},
    {"ReaderOfBothLeaves", Stream::kTwoLinesAreRead, Stream::kLikeOutput},
    {"OutputIsClosed", Stream::kClosed, Stream::kCaptured},
    {"ErrorsAreClosed", Stream::kCaptured, Stream::kClosed},
    {"BothAreClosed", Stream::kClosed, Stream::kClosed},
    {"OutputIsFull", Stream::kFull, Stream::kCaptured},
    {"ErrorsAreFull", Stream::kCaptured, Stream::kFull},
};

class ClosedOutputTest : public ::testing::TestWithParam<std::tuple<CommandCase, StreamsCase>> {
 protected:
  static void SetUpTestSuite() {
    fs::remove_all(Root());
    const ProcessResult result =
        Halftone(Searching({"tune"}, {"--max_trials=4", "--operator_tuning=off",
                                      "--op_bank_path=$bank", "--output=$done"}),
                 "", Stream::kCaptured, Stream::kCaptured);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  static void TearDownTestSuite() { fs::remove_all(Root()); }

  static fs::path Root() { return ::testing::TempDir() + "halftone_closed_output_test"; }

  static ProcessResult Halftone(std::vector<std::string> arguments, const std::string& own,
                                Stream out, Stream err) {
    const std::pair<std::string, std::string> names[] = {
        {"$model", Digits("model.onnx")}, {"$inputs", Digits("search_inputs.npy")},
        {"$bank", Root() / "bank"},       {"$front", Root() / "done/front.json"},
        {"$done", Root() / "done"},       {"$own", Root() / own}};
    for (std::string& argument : arguments) {
      for (const auto& [name, path] : names) {
        if (const auto at = argument.find(name); at != std::string::npos) {
          argument.replace(at, name.size(), path);
        }
      }
    }
    arguments.insert(arguments.begin(), HALFTONE_BINARY);
    return RunProcess(arguments,
                      {{"TUNE_BANK_PATH", ""},
                       {"ASCEND_CACHE_PATH", Root() / own / "cache"},
                       {"ASCEND_WORK_PATH", Root() / own / "work"},
                       {"HOME", "/dev/null/home"}},
                      out, err);
  }

  // Of every bank and file below the folder.
  static void ExpectWhole(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      EXPECT_EQ(path.string().find(".partial-"), std::string::npos) << path;
      if (path.extension() == ".json") {
        EXPECT_TRUE(nlohmann::json::accept(ReadFile(path))) << path;
      } else if (path.filename() == "junit.xml") {
        EXPECT_THAT(ReadFile(path), HasSubstr("</testsuites>\n"));
      } else if (path.filename() == "halftone.db") {
        const ProcessResult verified = testing::Halftone(
            {"bank", "verify", "--op_bank_path=" + path.parent_path().parent_path().string()});
        EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
      }
    }
  }
};

TEST_P(ClosedOutputTest, EndsWithItsWorkDoneOr141) {
  const auto& [command, streams] = GetParam();
  const std::string own = std::string(command.name) + streams.name;
  fs::create_directories(Root() / own / "cache");
  fs::create_directories(Root() / own / "work");
  const ProcessResult result = Halftone(command.arguments, own, streams.out, streams.err);
  if (streams.out == Stream::kFull && command.prints) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, ::testing::EndsWith("error: standard output could not be written: No "
                                                "space left on device\n"));
  } else {
    EXPECT_THAT(result.exit_code, AnyOf(AnyOfArray(command.exit_codes()), kClosedPipe))
        << result.err;
  }
  if (streams.out == Stream::kNobodyReads && command.prints) {
    EXPECT_EQ(result.exit_code, kClosedPipe);
  }
  // Nobody is told that nobody listens.
  EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
  ExpectWhole(Root() / own);
  // Where standard output is read, it has the whole answer.
  if (streams.out == Stream::kCaptured) {
    EXPECT_THAT(result.exit_code, AnyOfArray(command.exit_codes()));
    EXPECT_EQ(result.out.empty(), !command.prints);
  }
  fs::remove_all(Root() / own);
}

INSTANTIATE_TEST_SUITE_P(Table, ClosedOutputTest,
                         ::testing::Combine(::testing::ValuesIn(kCommands),
                                            ::testing::ValuesIn(kStreams)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  std::get<1>(row.param).name;
                         });

// `halftone tune ... 2>&1 | head -2` ended in SIGABRT. The search ends as by Ctrl-C: the reader
// went away while there were thousands of plans to measure.
TEST(TuneTest, AClosedPipeEndsWithoutAnAbort) {
  const fs::path folder = ::testing::TempDir() + "halftone_closed_pipe_test";
  fs::remove_all(folder);
  std::vector<std::string> command = {HALFTONE_BINARY,
                                      "tune",
                                      "--model=" + Digits("model.onnx"),
                                      "--inputs=" + Digits("search_inputs.npy"),
                                      "--max_samples=5",
                                      "--threads=1",
                                      "--strategy=random",
                                      "--operator_tuning=off",
                                      "--max_trials=1000000",
                                      "--op_bank_path=" + (folder / "bank").string(),
                                      "--output=" + (folder / "out").string()};
  const ProcessResult result =
      RunProcess(command, {{"TUNE_BANK_PATH", ""}}, Stream::kAFrontIsRead, Stream::kLikeOutput);
  EXPECT_EQ(result.exit_code, kClosedPipe);
  const auto front = nlohmann::json::parse(ReadFile(folder / "out/front.json"));
  EXPECT_GE(front["search"]["measured"], 1) << "what was measured is kept";
  EXPECT_FALSE(front["front"].empty());
  const ProcessResult verified =
      testing::Halftone({"bank", "verify", "--op_bank_path=" + (folder / "bank").string()});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
