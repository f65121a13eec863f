// A model, paths and words of the command line that hold what a terminal acts on: every command
// shows them printable, on the screen and in every file that is made to be read, and no line of
// theirs passes for one of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/file.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ModelWriter;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::HasSubstr;

// Retitles the window and rings the bell; forges a line of ours; begins a sequence in one character
// (U+009B); shows what follows from right to left (U+202E).
constexpr const char* kTitle = "\x1b]0;owned\a";
constexpr const char* kLine = "\nerror: forged\r";
constexpr const char* kOneCharacter =
    "\xC2\x9B"
    "2J";
constexpr const char* kRightToLeft =
    "\xE2\x80\xAE"
    "desrever\x7f";
constexpr const char* kForged = "error: forged";

// HTML, and a link of Markdown.
constexpr const char* kMarkup = "<img src=x>[a](b)";

std::string All() {
  return std::string(kTitle) + kLine + kOneCharacter + kRightToLeft + kMarkup;
}

// A file system has no name for '/', and TempDir() is printable.
std::string InPath() {
  return "evil" + All();
}

ModelWriter HostileModel(const std::string& more) {
  const std::string x = "x" + more;
  const std::string y = "y" + more;
  ModelWriter writer;
  writer.graph().set_name("graph" + more);
  writer.Input(x, {4, 8});
  writer.Floats("w", {8, 8}, [] {
    std::vector<float> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i % 7) / 8 - 0.3F;
    }
    return values;
  }());
  const std::string h = "h" + more;
  const std::string s = "s" + more;
  writer.Node("MatMul", "first" + more, {x.c_str(), "w"}, {h.c_str()});
  writer.Node("Softmax", "second" + more, {h.c_str()}, {s.c_str()});
  writer.Node("MatMul", "third" + more, {s.c_str(), "w"}, {y.c_str()});
  writer.Output(y);
  return writer;
}

// What a reader of the text sees is what it is: no control character but line breaks, valid UTF-8,
// and none of the lines is forged.
void ExpectHarmless(const std::string& text, const std::string& what) {
  const std::string shown = PrintableLines(text, Colors::kNo);
  if (shown != text) {
    const auto differs = static_cast<std::size_t>(
        std::mismatch(shown.begin(), shown.end(), text.begin(), text.end()).first - shown.begin());
    ADD_FAILURE() << what << ": not printable: "
                  << shown.substr(differs - std::min<std::size_t>(differs, 60), 120);
  }
  for (const std::string_view line : Split(text, '\n')) {
    EXPECT_FALSE(line.starts_with(kForged)) << what;
  }
}

void ExpectHarmlessFiles(const fs::path& folder) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() != ".onnx") {  // no text
      const std::string content = ReadFile(entry.path());
      ExpectHarmless(content, Printable(entry.path().filename().string()));
      if (entry.path().extension() == ".html") {
        EXPECT_EQ(content.find("<img"), std::string::npos) << entry.path();
      }
      if (entry.path().extension() == ".json") {
        EXPECT_TRUE(nlohmann::json::accept(content)) << entry.path();
      }
      ++files;
    }
  }
  EXPECT_GT(files, 0U) << folder;
}

class HostileNamesTest : public ::testing::Test {
 protected:
  HostileNamesTest() {
    fs::remove_all(root_);
    fs::create_directories(folder_ / "cache");
    fs::create_directories(folder_ / "work");
    WriteFileAtomically(model_, HostileModel(All()).model.SerializeAsString());
  }

  ~HostileNamesTest() override { fs::remove_all(root_); }

  ProcessResult Run(const std::vector<std::string>& words) {
    std::vector<std::string> command = {HALFTONE_BINARY};
    command.insert(command.end(), words.begin(), words.end());
    const ProcessResult result = RunProcess(command, {{"TUNE_BANK_PATH", ""},
                                                      {"ASCEND_CACHE_PATH", folder_ / "cache"},
                                                      {"ASCEND_WORK_PATH", folder_ / "work"},
                                                      {"HOME", folder_}});
    const std::string shown = Printable(Join(words, " "));
    ExpectHarmless(result.out, shown + ": standard output");
    ExpectHarmless(result.err, shown + ": standard error");
    commands_.insert(words.front() == "bank" ? "bank " + words.at(1) : words.front());
    return result;
  }

  ProcessResult Done(const std::vector<std::string>& words) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.exit_code, 0) << Printable(Join(words, " ")) << "\n" << result.err;
    return result;
  }

  [[nodiscard]] std::string Option(const std::string& option, const std::string& name) const {
    return option + "=" + (folder_ / name).string();
  }

  fs::path root_ = ::testing::TempDir() + "halftone_hostile_names_test_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path folder_ = root_ / InPath();
  fs::path model_ = folder_ / ("model" + std::string(kTitle) + ".onnx");
  std::string model_option_ = "--model=" + model_.string();
  std::set<std::string> commands_;
};

// `explain` sent ESC, BEL and line breaks of node names to the terminal as they were.
TEST_F(HostileNamesTest, ExplainShowsNamesPrintable) {
  for (const std::string format : {"table", "json", "csv"}) {
    const ProcessResult one =
        Done({"explain", model_option_, "--format=" + format, "--precision_mode=force_fp16"});
    EXPECT_THAT(one.out, HasSubstr("first")) << "names are shown";
    EXPECT_THAT(one.out, HasSubstr("owned"));
    const ProcessResult two = Done({"explain", model_option_, "--format=" + format, "--diff",
                                    "precision_mode=force_fp16", "precision_mode=force_fp32"});
    EXPECT_THAT(two.out, HasSubstr("first"));
    if (format == "json") {
      const auto json = nlohmann::json::parse(one.out);
      EXPECT_EQ(json["nodes"][0]["node"], "first" + All()) << "programs get the name as it is";
    }
  }
  Done({"explain", model_option_, "--node=first" + All()});
  EXPECT_EQ(Run({"explain", model_option_, "--node=none" + All()}).exit_code, 2);
  Done({"explain", model_option_, Option("--output", "options")});
  ExpectHarmlessFiles(folder_ / "options");
}

TEST_F(HostileNamesTest, EveryCommandShowsNamesPrintable) {
  Done({"run", model_option_});
  Done({"run", model_option_, "--explain"});
  Done({"run", model_option_, Option("--profile_output", "profile")});
  ExpectHarmlessFiles(folder_ / "profile");
  Run({"run", "--check", folder_.string()});
  const std::string bank = Option("--op_bank_path", "bank");
  const std::vector<std::string> tune = {"tune",
                                         model_option_,
                                         "--threads=1",
                                         "--max_trials=6",
                                         "--operator_tuning",
                                         "--operator_budget=0.2",
                                         bank,
                                         Option("--output", "out"),
                                         Option("--junit", "junit.xml")};
  Done(tune);
  ExpectHarmlessFiles(folder_ / "out");
  ExpectHarmless(ReadFile(folder_ / "junit.xml"), "junit.xml");
  std::vector<std::string> gated = tune;
  gated.emplace_back("--fail_if=sqnr_db<1000");
  gated.emplace_back("--search_again");
  EXPECT_EQ(Run(gated).exit_code, 4);
  Done({"run", model_option_, bank, "--explain"});
  Run({"retune", model_option_, "--threads=1", "--no_search", "--operator_tuning=off", "--no_bank",
       Option("--front", "out/front.json"), Option("--output", "again")});
  ExpectHarmlessFiles(folder_ / "again");
  for (const std::string mode : {"force_fp16", "allow_mix_precision_bf16"}) {
    Done({"export", model_option_, "--precision_mode=" + mode, "--to=all",
          Option("--output", "exported_" + mode)});
    ExpectHarmlessFiles(folder_ / ("exported_" + mode));
  }
  Done({"compare", (folder_ / "out").string(), (folder_ / "out").string()});
  Done({"compare", (folder_ / "out").string(), (folder_ / "bank").string(), "--format=json"});
  Done({"qaic-compile", "-m=" + model_.string(), "-convert-to-fp16"});
  Done({"aoe", model_option_, "--job_type=1", "--threads=1", "--max_trials=4",
        Option("--output", "aoe")});
  ExpectHarmlessFiles(folder_ / "aoe");
  Done({"aoe", model_option_, "--job_type=2", "--threads=1", "--max_trials=4"});
  EXPECT_THAT(Done({"bank", "list", bank}).out, HasSubstr("owned"));
  Done({"bank", "show", bank});
  EXPECT_THAT(Done({"bank", "verify", bank}).out, HasSubstr("owned"));
  Done({"bank", "merge", (folder_ / "bank").string(), Option("--op_bank_path", "other")});
  Done({"bank", "prune", "--keep_newest=1", "--superseded", bank});
  const std::string rows = Done({"bank", "export", bank}).out;
  Done({"bank", "export", bank, Option("--output", "rows.jsonl")});
  EXPECT_EQ(ReadFile(folder_ / "rows.jsonl"), rows);
  Done({"bank", "import", (folder_ / "rows.jsonl").string(), Option("--op_bank_path", "third")});
  EXPECT_EQ(Done({"bank", "export", Option("--op_bank_path", "third")}).out, rows)
      << "escapes of JSON are read back as what they stand for";
  EXPECT_EQ(commands_,
            (std::set<std::string>{"aoe", "bank export", "bank import", "bank list", "bank merge",
                                   "bank prune", "bank show", "bank verify", "compare", "export",
                                   "qaic-compile", "retune", "run", "tune"}));
}

TEST_F(HostileNamesTest, ColoursStayOurs) {
  const ProcessResult result =
      RunProcess({HALFTONE_BINARY, "tune", model_option_, "--threads=1", "--max_trials=3",
                  "--operator_tuning=off", "--no_bank", "--color=always"},
                 {{"TUNE_BANK_PATH", ""}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\x1b[1m"));
  EXPECT_EQ(PrintableLines(result.out, Colors::kYes), result.out);
}

// protobuf lets them pass in names; JSON and XML cannot hold them.
TEST_F(HostileNamesTest, NamesThatAreNotUtf8) {
  WriteFileAtomically(model_, HostileModel("\xff\xfe" + All()).model.SerializeAsString());
  for (const std::string format : {"table", "json", "csv"}) {
    Done({"explain", model_option_, "--format=" + format});
  }
  Done({"run", model_option_, "--explain"});
  Done({"run", model_option_, Option("--profile_output", "profile")});
  ExpectHarmlessFiles(folder_ / "profile");
  const std::string bank = Option("--op_bank_path", "bank");
  Done({"tune", model_option_, "--threads=1", "--max_trials=6", "--operator_tuning=off", bank,
        Option("--output", "out")});
  ExpectHarmlessFiles(folder_ / "out");
  for (const std::string command : {"list", "show", "verify", "export"}) {
    Done({"bank", command, bank});
  }
}

TEST_F(HostileNamesTest, WrongWordsAreShownPrintable) {
  const std::string evil = All();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {evil},
           {"tune", evil},
           {"tune", "--" + evil},
           {"tune", model_option_, "--max_trials=" + evil},
           {"tune", model_option_, "--strategy=" + evil},
           {"tune", model_option_, "--fail_if=" + evil},
           {"tune", model_option_, "--no_bank=" + evil},
           {"tune", model_option_, "--goal=" + evil},
           {"tune", model_option_, "--inputs=" + evil},
           {"tune", model_option_, "--metric=command:" + evil},
           {"explain", "--model=" + evil},
           {"explain", model_option_, "--format=" + evil},
           {"explain", model_option_, "--precision_mode=" + evil},
           {"explain", model_option_, "--keep_dtype=" + evil},
           {"explain", model_option_, "--soc_version=" + evil},
           {"explain", model_option_, "--diff", evil, evil},
           {"explain", model_option_, "--npu_config=" + evil},
           {"aoe", evil},
           {"aoe", "--" + evil + "=1"},
           {"aoe", "--job_type=1", "--model=" + evil},
           {"qaic-compile", evil},
           {"qaic-compile", "-" + evil + "=1"},
           {"qaic-compile", "-m=" + evil},
           {"qaic-compile", "-m=" + model_.string(), "-load-profile=" + evil},
           {"bank", evil},
           {"bank", "list", "--op_bank_path=" + evil},
           {"bank", "import", evil},
           {"bank", "show", evil, Option("--op_bank_path", "none")}}) {
    const ProcessResult result = Run(words);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(1, 2)) << Printable(Join(words, " "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << "one sentence: " << result.err;
  }
}

}  // namespace
}  // namespace halftone
