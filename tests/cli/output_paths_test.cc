// Every option that names a file or a folder to write, with everything that may lie at that path:
// devices and FIFOs are written into, links are followed, what cannot be written is one sentence,
// and nothing is ever replaced but a plain file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/output_place.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::kPlaces;
using ::halftone::testing::OutputPlace;
using ::halftone::testing::PlaceKind;
using ::halftone::testing::PlaceRow;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;

enum class Writes : bool { kFile, kFolder };

struct OutputOption {
  const char* name;  // of the case
  const char* command;
  const char* option;
  Writes writes;
  std::vector<std::string> arguments;  // with which it writes at once
};

// The one list of options that take a path to write. What --help names and neither this list nor
// the next one does is an error of EveryOptionIsInOneOfTheLists.
const OutputOption kOutputs[] = {
    {"TuneJunit",
     "tune",
     "--junit",
     Writes::kFile,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1", "--max_trials=4",
      "--operator_tuning=off", "--op_bank_path=$bank"}},
    {"TuneOutput",
     "tune",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1", "--max_trials=4",
      "--operator_tuning=off", "--op_bank_path=$bank"}},
    {"TuneProgress",
     "tune",
     "--progress_file",
     Writes::kFile,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1", "--max_trials=4",
      "--operator_tuning=off", "--op_bank_path=$bank"}},
    {"RetuneProgress",
     "retune",
     "--progress_file",
     Writes::kFile,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1", "--no_search",
      "--operator_tuning=off", "--no_bank", "--front=$done/front.json"}},
    {"RetuneJunit",
     "retune",
     "--junit",
     Writes::kFile,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1", "--no_search",
      "--operator_tuning=off", "--no_bank", "--front=$done/front.json"}},
    {"RetuneOutput",
     "retune",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1",
      "--operator_tuning=off", "--no_search", "--no_bank", "--front=$done/front.json"}},
    {"RunProfileOutput",
     "run",
     "--profile_output",
     Writes::kFolder,
     {"--model=$model", "--inputs=$inputs", "--max_samples=1", "--threads=1"}},
    {"RunSave",
     "run",
     "--save",
     Writes::kFolder,
     {"--model=$model", "--inputs=$inputs", "--max_samples=2", "--threads=1"}},
    {"ExplainOutput",
     "explain",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--keep_dtype=$keep", "--precision_mode=allow_mix_precision_bf16"}},
    {"ExportFileOutput",
     "export",
     "--output",
     Writes::kFile,
     {"--model=$model", "--precision_mode=allow_mix_precision_bf16"}},
    {"ExportFolderOutput",
     "export",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--precision_mode=allow_mix_precision_bf16",
      "--to=onnx-rounded,encodings"}},
    {"BankExportOutput", "bank export", "--output", Writes::kFile, {"--op_bank_path=$bank"}},
    {"AoeOutput",
     "aoe",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--job_type=1", "--inputs=$inputs", "--max_samples=5", "--threads=1",
      "--max_trials=4"}},
    {"AtcOutput",
     "atc",
     "--output",
     Writes::kFolder,
     {"--model=$model", "--framework=5", "--soc_version=Ascend910B1"}},
    {"QaicCompileProfile",
     "qaic-compile",
     "-dump-profile",
     Writes::kFile,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
    {"QaicCompileTemplate",
     "qaic-compile",
     "-dump-custom-IO-config-template",
     Writes::kFile,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
    {"QaicCompilePoint",
     "qaic-compile",
     "-point",
     Writes::kFolder,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
    {"QaicExecProfile",
     "qaic-exec",
     "-dump-profile",
     Writes::kFile,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
    {"QaicExecTemplate",
     "qaic-exec",
     "-dump-custom-IO-config-template",
     Writes::kFile,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
    {"QaicExecPoint",
     "qaic-exec",
     "-point",
     Writes::kFolder,
     {"-m=$model", "-batchsize=1", "-threads=1"}},
};

// Options with a text that is read, or is no path; banks are opened by SQLite, which writes into
// what is there.
// clang-format off
const std::set<std::string> kNotWritten = {
    "--model", "--model_path", "--input_shape", "--dynamic_batch_size", "--dynamic_image_size",
    "--dynamic_dims", "--fusion_switch_file", "--max_memory", "--soc_version", "--target", "--ops_info",
    "--min_metric", "--max_metric", "--max_slowdown", "--state", "--inputs", "--labels", "--heldout_inputs", "--heldout_labels", "--precision_mode",
    "--precision_mode_v2", "--keep_dtype", "--customize_dtypes", "--op_precision_mode", "--quantization", "--quantize",
    "--calibration_inputs", "--histograms", "--tensor", "--calibration_method", "--bias_correction",
    "--op_select_implmode", "--optypelist_for_implmode", "--modify_mixlist", "--allow_hf32", "--seed_bank", "--load_profile",
    "--input_fp16_nodes", "--output_type", "--is_weight_clip", "--status_check", "--graph_run_mode",
    "--operator_tuning", "--min_sqnr_db", "--max_rel_l2", "--max_top1_drop", "--min_agreement", "--max_latency_ratio",
    "--strategy", "--export", "--goal", "--confidence", "--budget", "--fail_if", "--annotations", "--image", "--network", "--color", "--measure", "--measure_format", "--measure_inputs", "--metric", "--metric_better",
    "--op_bank_path", "--front", "--point", "--to", "--file", "--select", "--check", "--npu_config", "--format",
    "--node", "--diff", "--read_result", "--job_type", "--framework", "--reload", "--tune_ops_file", "from", "file",
    "workload", "shell", "fronts",
    // of fleet; in the folder behind --scratch tasks work, and leave nothing:
    "folder", "--engine", "--kinds", "--kind", "--list", "--against", "--scratch",
    // aoe refuses them, or they decide nothing there:
    "--build_bypass", "--compress_weight_conf", "--compression_optimize_conf",
    "--enable_scope_fusion_passes", "--host_env_cpu", "--host_env_os", "--init_bypass",
    "--insert_op_conf", "--ip", "--mdl_bank_path", "--op_name_map", "--out_nodes", "--singleop",
    "--sparsity", "--weight",
    // likewise atc:
    "--check_report", "--debug_dir", "--json", "--om", "--op_compiler_cache_dir", "--op_debug_config",
    // of qaic-compile, which has one dash:
    "-model", "-input-list-file", "-node-precision-info", "-load-profile", "-external-quantization",
    "-custom-IO-list-file", "-aic-binary-dir", "-ranges-from"};

// clang-format on

fs::path Root() {
  return ::testing::TempDir() + "halftone_output_paths_test";
}

std::string Replaced(std::string text) {
  const std::pair<std::string, std::string> names[] = {{"$model", Digits("model.onnx")},
                                                       {"$inputs", Digits("search_inputs.npy")},
                                                       {"$bank", Root() / "bank"},
                                                       {"$keep", Root() / "keep.cfg"},
                                                       {"$done", Root() / "done"}};
  for (const auto& [name, path] : names) {
    if (const auto at = text.find(name); at != std::string::npos) {
      text.replace(at, name.size(), path);
    }
  }
  return text;
}

ProcessResult Halftone(const std::vector<std::string>& words) {
  std::vector<std::string> command = {HALFTONE_BINARY};
  std::ranges::transform(words, std::back_inserter(command), Replaced);
  return RunProcess(command, {{"TUNE_BANK_PATH", ""},
                              {"ASCEND_CACHE_PATH", Root() / "cache"},
                              {"ASCEND_WORK_PATH", Root() / "work"},
                              {"HOME", "/dev/null/home"}});
}

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

ProcessResult Write(const OutputOption& row, const fs::path& path) {
  std::vector<std::string> words = WordsOf(row.command);
  words.insert(words.end(), row.arguments.begin(), row.arguments.end());
  words.push_back(std::string(row.option) + "=" + path.string());
  return Halftone(words);
}

// On a machine that others use `retune` need not find speed-ups of microseconds again, code 3, nor
// be able to tell, code 5.
bool IsDone(const OutputOption& row, const ProcessResult& result) {
  return result.exit_code == 0 || (row.command == std::string_view("retune") &&
                                   (result.exit_code == 3 || result.exit_code == 5));
}

// The section of help between its heading and the next empty line.
std::vector<std::string> Section(const std::string& help, const std::string& heading) {
  std::vector<std::string> lines;
  bool inside = false;
  for (const std::string_view line : Split(help, '\n')) {
    inside = line.empty() ? false : inside || line == heading;
    if (inside && line != heading) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

// "tune", "bank export", ...
std::vector<std::string> AllCommands(const std::string& above = "") {
  std::vector<std::string> commands;
  std::vector<std::string> words = WordsOf(above);
  words.emplace_back("--help");
  for (const std::string& line : Section(Halftone(words).out, "Subcommands:")) {
    if (line.starts_with("  ") && line.at(2) != ' ') {
      const std::string command = above + (above.empty() ? "" : " ") + WordsOf(line).front();
      const std::vector<std::string> below = AllCommands(command);
      if (below.empty()) {
        commands.push_back(command);
      }
      commands.insert(commands.end(), below.begin(), below.end());
    }
  }
  return commands;
}

// The options of a command that take a text, and its words without an option.
std::set<std::string> TextOptions(const std::string& command) {
  std::vector<std::string> words = WordsOf(command);
  words.emplace_back(command == "aoe" || command == "atc" ? "--help" : "--help-all");
  std::set<std::string> options;
  const std::string help = Halftone(words).out;
  for (const std::string_view line : Split(help, '\n')) {
    const std::vector<std::string> parts = WordsOf(std::string(line));
    if (!line.starts_with("  ") || line.starts_with("   ") || parts.empty()) {
      continue;
    }
    // "  --junit TEXT   File ...", "  from TEXT ... REQUIRED"; of aoe "  --job_type, -j <text>",
    // "  --reload[=<text>]"; of qaic-compile "  -dump-profile=<path>"
    const std::string type = parts.size() > 1 ? parts[1] : "";
    const bool is_text = type.starts_with("TEXT") || type == "A" ||
                         line.find("<text>") != std::string_view::npos ||
                         line.find("=<path>") != std::string_view::npos ||
                         line.find("=<folder>") != std::string_view::npos;
    if (is_text) {
      options.insert(parts[0].substr(0, parts[0].find_first_of(",[=")));
    }
  }
  return options;
}

TEST(OutputPathsTest, EveryOptionIsInOneOfTheLists) {
  const std::vector<std::string> commands = AllCommands();
  EXPECT_THAT(commands, ::testing::IsSupersetOf({"tune", "aoe", "bank export"}));
  std::set<std::pair<std::string, std::string>> outputs;
  for (const OutputOption& row : kOutputs) {
    outputs.emplace(row.command, row.option);
  }
  std::set<std::pair<std::string, std::string>> found;
  std::set<std::string> others;
  for (const std::string& command : commands) {
    for (const std::string& option : TextOptions(command)) {
      if (outputs.contains({command, option})) {
        found.emplace(command, option);
      } else {
        others.insert(option);
        EXPECT_TRUE(kNotWritten.contains(option))
            << command << " " << option
            << ": name it in kOutputs when it is a path that is written, else in kNotWritten";
      }
    }
  }
  EXPECT_EQ(found, outputs) << "kOutputs names what there is not";
  for (const std::string& option : kNotWritten) {
    EXPECT_TRUE(others.contains(option)) << option << ": kNotWritten names what there is not";
  }
}

class OutputPathsTest : public ::testing::TestWithParam<std::tuple<OutputOption, PlaceRow>> {
 protected:
  static void SetUpTestSuite() {
    fs::remove_all(Root());
    fs::create_directories(Root() / "cache");
    fs::create_directories(Root() / "work");
    WriteFileAtomically(Root() / "keep.cfg", "stem/conv\n");
    const ProcessResult result = Halftone(
        {"tune", "--model=$model", "--inputs=$inputs", "--max_samples=5", "--threads=1",
         "--max_trials=4", "--operator_tuning=off", "--op_bank_path=$bank", "--output=$done"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  static void TearDownTestSuite() { fs::remove_all(Root()); }

  // An empty folder of this case.
  static fs::path Own(const std::string& name) {
    const auto& [option, place] = GetParam();
    const fs::path own = Root() / (std::string(option.name) + place.name) / name;
    fs::remove_all(own);
    fs::create_directories(own);
    return own;
  }

  // What the option writes into a folder where nothing is: once for all kinds of places.
  static const std::vector<fs::path>& FilesOf(const OutputOption& row) {
    static std::map<std::string, std::vector<fs::path>> known;
    std::vector<fs::path>& files = known[row.name];
    if (files.empty()) {
      const fs::path folder = Root() / (std::string(row.name) + "_files");
      EXPECT_TRUE(IsDone(row, Write(row, folder)));
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
          files.push_back(fs::relative(entry.path(), folder));
        }
      }
    }
    return files;
  }

  static void ExpectWritten(const ProcessResult& result, std::vector<OutputPlace>& places) {
    EXPECT_TRUE(IsDone(std::get<0>(GetParam()), result)) << result.err;
    for (OutputPlace& place : places) {
      EXPECT_EQ(place.Damage(), "");
      const PlaceKind kind = std::get<1>(GetParam()).kind;
      if (kind != PlaceKind::kDevice && kind != PlaceKind::kOutput) {
        EXPECT_FALSE(place.Content().empty());
      }
    }
  }

  static void ExpectRefused(const ProcessResult& result, std::vector<OutputPlace>& places) {
    EXPECT_EQ(result.exit_code, 1);
    const auto error = result.err.rfind("error: cannot ");
    ASSERT_NE(error, std::string::npos) << result.err;
    EXPECT_EQ(
        std::count(result.err.begin() + static_cast<std::ptrdiff_t>(error), result.err.end(), '\n'),
        1)
        << "one sentence";
    for (const OutputPlace& place : places) {
      EXPECT_EQ(place.Damage(), "");
    }
  }
};

TEST_P(OutputPathsTest, AFileIsWrittenIntoWhatLiesThere) {
  const auto& [option, row] = GetParam();
  const bool is_folder = option.writes == Writes::kFolder;
  const std::vector<fs::path> files = is_folder ? FilesOf(option) : std::vector<fs::path>{"file"};
  ASSERT_FALSE(files.empty());
  const fs::path own = Own("files");
  std::vector<OutputPlace> places;
  for (const fs::path& file : files) {
    places.emplace_back(row.kind, own / file);
    if (!places.back().obstacle().empty()) {
      GTEST_SKIP() << places.back().obstacle();
    }
  }
  const ProcessResult result = Write(option, is_folder ? own : own / "file");
  if (row.is_written) {
    ExpectWritten(result, places);
  } else {
    ExpectRefused(result, places);
  }
  if (row.kind == PlaceKind::kOutput) {
    // What is written to a path that is standard output stands where what is printed stands, and
    // neither overwrites the other.
    const ProcessResult plain = Write(option, Own("plain") / "file");
    const std::string_view last = Split(plain.out, '\n').rbegin()[1];  // before the empty end
    EXPECT_GT(result.out.size(), plain.out.size());
    // The verdict of `retune` may be another one on a busy machine.
    const auto says = [](std::string_view text, std::string_view words) {
      return text.find(words) != std::string_view::npos;
    };
    constexpr std::string_view kVerdicts[] = {"inconclusive", "still holds", "does not hold"};
    const bool is_verdict = std::ranges::any_of(
        kVerdicts, [&](std::string_view verdict) { return says(last, verdict); });
    EXPECT_TRUE(is_verdict ? std::ranges::any_of(kVerdicts,
                                                 [&](std::string_view verdict) {
                                                   return says(result.out, verdict);
                                                 })
                           : says(result.out, last.substr(0, 10)))
        << last;
  }
}

class OutputFoldersTest : public OutputPathsTest {};

TEST_P(OutputFoldersTest, AFolderIsMadeBehindLinksOnly) {
  const auto& [option, row] = GetParam();
  const fs::path path = Own("folder") / "path";
  std::vector<OutputPlace> places;
  if (row.kind == PlaceKind::kLink) {
    fs::create_directory(path.parent_path() / "target");
    fs::create_symlink("target", path);
  } else {
    places.emplace_back(row.kind, path);
    if (!places.back().obstacle().empty()) {
      GTEST_SKIP() << places.back().obstacle();
    }
  }
  const ProcessResult result = Write(option, path);
  switch (row.kind) {
    case PlaceKind::kNothing:
    case PlaceKind::kFolder:
    case PlaceKind::kLink:
    case PlaceKind::kDanglingLink:
      EXPECT_TRUE(IsDone(option, result)) << result.err;
      EXPECT_TRUE(fs::is_directory(path));
      EXPECT_FALSE(fs::is_empty(path));
      EXPECT_EQ(fs::is_symlink(path),
                row.kind == PlaceKind::kLink || row.kind == PlaceKind::kDanglingLink);
      break;
    default:
      ExpectRefused(result, places);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OutputPathsTest,
                         ::testing::Combine(::testing::ValuesIn(kOutputs),
                                            ::testing::ValuesIn(kPlaces)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  std::get<1>(row.param).name;
                         });

std::vector<OutputOption> FolderOptions() {
  std::vector<OutputOption> options;
  std::ranges::copy_if(kOutputs, std::back_inserter(options),
                       [](const OutputOption& row) { return row.writes == Writes::kFolder; });
  return options;
}

INSTANTIATE_TEST_SUITE_P(Table, OutputFoldersTest,
                         ::testing::Combine(::testing::ValuesIn(FolderOptions()),
                                            ::testing::ValuesIn(kPlaces)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  std::get<1>(row.param).name;
                         });

// Run as root, the option replaced the device by a plain file. A device of our own: never that of
// the machine.
TEST(TuneTest, JunitIntoADeviceLeavesTheDevice) {
  const fs::path folder = ::testing::TempDir() + "halftone_junit_device_test";
  fs::remove_all(folder);
  const OutputPlace place(PlaceKind::kDevice, folder / "null");
  if (!place.obstacle().empty()) {
    GTEST_SKIP() << place.obstacle();
  }
  const ProcessResult result = testing::Halftone(
      {"tune", "--model=" + Digits("model.onnx"), "--inputs=" + Digits("search_inputs.npy"),
       "--max_samples=5", "--max_trials=2", "--operator_tuning=off", "--threads=1", "--no_bank",
       "--junit=" + (folder / "null").string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(place.Damage(), "");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
