// --point as a user gives it: from another folder, and with what may be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/digits_library.h"
#include "tests/support/planted_runtime.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::kLibraryPath;
using ::halftone::testing::MakeDigitsLibrary;
using ::halftone::testing::PlantedRuntime;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

// For a program that runs elsewhere.
std::string FileOfDigits(const std::string& file) {
  return fs::absolute(Digits(file)).string();
}

class PointOptionTest : public ::testing::Test {
 protected:
  // One front for all tests, the same one on every CPU; each has copies of its points.
  static void SetUpTestSuite() {
    fs::remove_all(Front());
    fs::create_directories(Front().parent_path());
    const ProcessResult tuned = Halftone(
        {"tune", "--model=" + FileOfDigits("model.onnx"),
         "--inputs=" + FileOfDigits("search_inputs.npy"), "--max_samples=5", "--threads=1",
         "--max_trials=12", "--operator_tuning=off", "--no_bank", "--output=" + Front().string(),
         "--measure=" + PlantedRuntime(Front().parent_path())});
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  }

  static void TearDownTestSuite() { fs::remove_all(Front()); }

  PointOptionTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "elsewhere");
    fs::copy(Front() / "point_1", root_ / "shipped point", fs::copy_options::recursive);
  }

  ~PointOptionTest() override { fs::remove_all(root_); }

  static fs::path Front() { return ::testing::TempDir() + "halftone_point_option_front"; }

  // The program in `folder`, on the example network and five samples where it takes any.
  static ProcessResult In(const fs::path& folder, const std::string& command,
                          const Words& options) {
    Words words = {"/usr/bin/env",  "-C",    folder.string(),
                   HALFTONE_BINARY, command, "--model=" + FileOfDigits("model.onnx")};
    if (command != "explain") {
      words.insert(words.end(), {"--inputs=" + FileOfDigits("search_inputs.npy"), "--max_samples=5",
                                 "--threads=1"});
    }
    if (command == "retune") {
      words.insert(words.end(), {"--no_bank", "--no_search", "--operator_tuning=off"});
    }
    words.insert(words.end(), options.begin(), options.end());
    return RunProcess(words, {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}});
  }

  ProcessResult Explain(const Words& options) const {
    Words words = {"--point=../shipped point"};
    words.insert(words.end(), options.begin(), options.end());
    return In(root_ / "elsewhere", "explain", words);
  }

  // Every command says the same one sentence, and nothing else.
  void ExpectRefused(const Words& options, const std::string& sentence) const {
    for (const char* command : {"run", "explain", "retune"}) {
      const ProcessResult result = In(root_ / "elsewhere", command, options);
      EXPECT_EQ(result.exit_code, 2) << command;
      EXPECT_EQ(result.err, "error: " + sentence + "\n") << command;
      EXPECT_EQ(result.out, "") << command;
    }
  }

  fs::path root_ = ::testing::TempDir() + "halftone_point_option_test_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path shipped_ = root_ / "shipped point";
};

// The lines of the files and, beside them, why the search wrote them.
TEST_F(PointOptionTest, ExplainSaysWhatTheSearchFound) {
  const auto nodes = [](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::size_t found = 0;
    const auto document = nlohmann::json::parse(result.out);
    for (const auto& node : document["nodes"]) {
      const auto reason = node["reason"].get<std::string>();
      found += reason.find("; the search found that ") != std::string::npos ? 1 : 0;
    }
    return found;
  };
  // So many plans that the probes come before the last ones.
  const std::string bank = "--op_bank_path=" + (root_ / "bank").string();
  const auto tune = [&](const std::string& folder, std::vector<std::string> options) {
    options.insert(options.end(), {"--max_trials=24", "--operator_tuning=off",
                                   "--output=" + (root_ / folder).string()});
    const ProcessResult tuned = In(root_, "tune", options);
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  };
  // The fastest point has operators in fewer bits, whatever is fast here.
  tune("found", {"--measure=" + PlantedRuntime(root_), "--no_bank"});
  const std::string point = "--point=" + (root_ / "found/point_1").string();
  EXPECT_GT(nodes(In(root_, "explain", {point, "--format=json"})), 3U);
  // The bank says of a point what its folder says.
  tune("measured_here", {bank});
  const std::string here = "--point=" + (root_ / "measured_here/point_1").string();
  EXPECT_EQ(In(root_, "explain", {bank, "--format=json"}).exit_code, 0);
  const ProcessResult fastest = In(root_, "explain", {bank, "--select=fastest", "--format=json"});
  EXPECT_EQ(nodes(fastest), nodes(In(root_, "explain", {here, "--format=json"})));
  EXPECT_THAT(fastest.err, HasSubstr("note: stored configuration of "));
  for (const std::string& other : {point, std::string("--precision_mode=force_fp16")}) {
    const ProcessResult both = In(root_, "explain", {bank, other});
    EXPECT_EQ(both.exit_code, 2) << both.out;
    EXPECT_THAT(both.err, HasSubstr("--op_bank_path"));
  }

  const fs::path record = root_ / "found/point_1/point.json";
  auto document = nlohmann::json::parse(ReadFile(record));
  document["measured"]["front"][0].erase("findings");  // as folders of before
  WriteFileAtomically(record, document.dump());
  EXPECT_EQ(nodes(In(root_, "explain", {point, "--format=json"})), 0U);
  document["measured"]["front"][0]["findings"] = "many";
  WriteFileAtomically(record, document.dump());
  const ProcessResult wrong = In(root_, "explain", {point});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("expected the point.json that halftone writes"));
}

TEST_F(PointOptionTest, EveryPointOfAFrontGivesThePlanThatTheFrontStores) {
  const auto front = nlohmann::json::parse(ReadFile(Front() / "front.json")).at("front");
  ASSERT_FALSE(front.empty());
  for (const auto& point : front) {
    const std::string folder = (Front() / point.at("folder").get<std::string>()).string();
    const ProcessResult result = Halftone(
        {"explain", "--model=" + FileOfDigits("model.onnx"), "--point=" + folder, "--format=json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(nlohmann::json::parse(result.out).at("plan_digest"), point.at("plan_digest"));
  }
}

TEST_F(PointOptionTest, IsReadFromAnyWorkingDirectory) {
  const auto point = nlohmann::json::parse(ReadFile(Front() / "front.json")).at("front").at(0);
  const std::string plan = point.at("plan_digest");
  for (const char* folder : {"../shipped point", "../shipped point/", "./../shipped point/."}) {
    const std::string option = std::string("--point=") + folder;
    const ProcessResult run = In(root_ / "elsewhere", "run", {option});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("; plan " + plan + "\n"));
    const ProcessResult explained = In(root_ / "elsewhere", "explain", {option, "--format=json"});
    EXPECT_EQ(explained.exit_code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr(plan));
    // Whether it holds is for a clock to say.
    const ProcessResult retuned =
        In(root_ / "elsewhere", "retune", {option, "--output=" + (root_ / "out").string()});
    EXPECT_THAT(retuned.exit_code, ::testing::AnyOf(0, 3, 5)) << retuned.err;
    const auto json = nlohmann::json::parse(ReadFile(root_ / "out/retune.json"));
    EXPECT_EQ(json.at("points").size(), 1U);
  }
  const ProcessResult inside = In(shipped_, "explain", {"--point=."});
  EXPECT_EQ(inside.exit_code, 0) << inside.err;
}

TEST_F(PointOptionTest, AChangedFileIsToldByTheDigest) {
  WriteFileAtomically(shipped_ / "arguments.txt",
                      "--soc_version=host\n--input_shape=pixels:1,1,8,8\n"
                      "--precision_mode=must_keep_origin_dtype\n--keep_dtype=keep_dtype.cfg\n"
                      "--output_type=FP16\n");
  WriteFileAtomically(shipped_ / "keep_dtype.cfg", "stem/conv\n");
  for (const char* command : {"run", "explain", "retune"}) {
    const ProcessResult result = In(root_ / "elsewhere", command, {"--point=../shipped point"});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_THAT(result.err,
                MatchesRegex("error: --point=../shipped point: expected the plan [0-9a-f]{32} that "
                             "point.json names, found [0-9a-f]{32}: a file of the folder was "
                             "changed since it was written; tune again, or delete point.json to "
                             "take the options as they are\n"))
        << command;
    EXPECT_EQ(result.out, "") << command;
  }
}

TEST_F(PointOptionTest, WhatIsNoPointIsRefused) {
  const std::string expected =
      ": expected the folder of a point, with arguments.txt, as `tune --output` writes it; found ";
  ExpectRefused({"--point=none"}, "--point=none" + expected + "nothing there");
  ExpectRefused({"--point=../shipped point/arguments.txt"},
                "--point=../shipped point/arguments.txt" + expected + "a file");
  ASSERT_EQ(::mkfifo((root_ / "elsewhere/pipe").c_str(), 0600), 0);
  ExpectRefused({"--point=pipe"}, "--point=pipe" + expected + "a pipe or a device");
  ExpectRefused({"--point=."}, "--point=." + expected + "a folder without it");
  ExpectRefused({"--point=.."},
                "--point=.." + expected +
                    "a folder without it; 'shipped point' in it has one: name that folder");
  fs::rename(root_ / "elsewhere/pipe", root_ / "elsewhere/arguments.txt");
  ExpectRefused({"--point=."},
                "--point=.: cannot read './arguments.txt': expected a regular file, found a pipe "
                "or a device");
  fs::rename(root_ / "elsewhere/arguments.txt", shipped_ / "point.json");
  ExpectRefused({"--point=../shipped point"},
                "--point=../shipped point: cannot read '../shipped point/point.json': expected a "
                "regular file, found a pipe or a device");
}

TEST_F(PointOptionTest, AnotherNetworkIsRefusedAndOtherWeightsAreAWarning) {
  std::string network = ReadFile(FileOfDigits("model.onnx"));
  network.at(network.size() / 2) ^= 1;  // amid the weights
  WriteFileAtomically(root_ / "trained/model.onnx", network);
  const ProcessResult trained = Halftone(
      {"explain", "--model=" + (root_ / "trained").string(), "--point=" + shipped_.string()});
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(trained.err, "warning: --point=" + shipped_.string() +
                             ": 'trained' has other weights or attributes than the network that it "
                             "was written for: its accuracy may be another; `halftone run` "
                             "measures it\n");
  const std::string name = "stem/conv";
  for (std::size_t at = 0; (at = network.find(name, at)) != std::string::npos; ++at) {
    network.replace(at, name.size(), "stem/caan");
  }
  WriteFileAtomically(root_ / "renamed/model.onnx", network);
  const ProcessResult renamed = Halftone(
      {"explain", "--model=" + (root_ / "renamed").string(), "--point=" + shipped_.string()});
  EXPECT_EQ(renamed.exit_code, 2);
  EXPECT_EQ(renamed.err, "error: --point=" + shipped_.string() +
                             ": expected the network 'digits' that the point was written for, "
                             "found 'renamed' with other operators, names, types or shapes; give "
                             "that network, or tune this one\n");
}

TEST_F(PointOptionTest, OptionsThatSayOtherwiseAreRefused) {
  const std::string point = "--point=../shipped point";
  ExpectRefused({point, "--input_shape=pixels:2,1,8,8"},
                point +
                    " names --input_shape=pixels:1,1,8,8, --input_shape=pixels:2,1,8,8 says "
                    "otherwise; leave one of them out");
  ExpectRefused({point, "--soc_version=Ascend310P3"},
                point +
                    " names --soc_version=host, --soc_version=Ascend310P3 says otherwise; "
                    "leave one of them out");
  ExpectRefused({point, "--fusion_switch_file=f.json"},
                point +
                    " is a plan without --fusion_switch_file, --fusion_switch_file=f.json says "
                    "otherwise; leave one of them out");
  ExpectRefused({point, "--ops_info=opp"},
                point +
                    " is a plan without --ops_info, --ops_info=opp says otherwise; leave one "
                    "of them out");
  for (const char* command : {"run", "explain"}) {
    const ProcessResult result =
        In(root_ / "elsewhere", command, {point, "--modify_mixlist=m.json"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "error: " + point +
                              " is a plan without --modify_mixlist, --modify_mixlist=m.json says "
                              "otherwise; leave one of them out\n");
  }
}

TEST_F(PointOptionTest, TheSameValuesAndStatusCheckAreNoContradiction) {
  const ProcessResult result =
      Explain({"--soc_version=host", "--input_shape=pixels:1,1,8,8", "--status_check=1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

struct Exclusion {
  const char* command;
  Words options;
  const char* message;
};

TEST_F(PointOptionTest, WhatTakesOptionsFromElsewhereIsRefused) {
  const std::string point = "--point=" + shipped_.string();
  for (const Exclusion& row : {
           Exclusion{"run", {"--from_bank"}, "--point and --from_bank exclude each other"},
           Exclusion{"run", {"--select=fastest"}, "--point and --select exclude each other"},
           Exclusion{"run", {"--check=x"}, "--point and --check exclude each other"},
           Exclusion{"retune", {"--front=x"}, "--front and --point exclude each other"},
           Exclusion{"explain", {"--npu_config=x"}, "--npu_config and --point exclude each other"},
           Exclusion{"explain",
                     {"--diff", "precision_mode=force_fp16", shipped_.string()},
                     "--point and --diff exclude each other; its folder can be one of the option "
                     "sets"},
       }) {
    Words words = {point};
    words.insert(words.end(), row.options.begin(), row.options.end());
    const ProcessResult result = In(root_, row.command, words);
    EXPECT_EQ(result.exit_code, 2) << row.message;
    EXPECT_EQ(result.err, std::string("error: ") + row.message + "\n");
  }
}

// As halftone 0.1.0 wrote them: no point.json, and arguments of precision only.
TEST_F(PointOptionTest, AFolderOf010IsTakenWithANote) {
  fs::remove(shipped_ / "point.json");
  WriteFileAtomically(shipped_ / "arguments.txt", "--precision_mode=allow_mix_precision\n");
  const std::string note =
      "note: --point=../shipped point: no point.json, as in folders of halftone 0.1.0: whether its "
      "files still give the plan that was measured is not checked\n";
  EXPECT_THAT(Explain({}).err, StartsWith(note));
  // What it does not name is taken from the command line.
  const ProcessResult other =
      Explain({"--soc_version=Ascend310P3", "--input_shape=pixels:2,1,8,8"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("allow_mix_precision on Ascend310P3"));
  const ProcessResult mode = Explain({"--precision_mode=force_fp16"});
  EXPECT_EQ(mode.exit_code, 2);
  EXPECT_THAT(mode.err, HasSubstr(" names --precision_mode=allow_mix_precision, "));
  const ProcessResult retuned = In(root_, "retune", {"--point=shipped point"});
  EXPECT_EQ(retuned.exit_code, 2);
  EXPECT_THAT(retuned.err, HasSubstr("error: --point=shipped point: expected a point that was "
                                     "measured, as `halftone tune` writes it, found options only"));
  // Beside its front.json it is known.
  fs::rename(shipped_, root_ / "point_1");
  fs::copy(Front() / "front.json", root_ / "front.json");
  const ProcessResult beside = In(root_, "retune", {"--point=point_1"});
  EXPECT_THAT(beside.exit_code, ::testing::AnyOf(0, 3, 5)) << beside.err;
}

TEST_F(PointOptionTest, ALibraryOfAnotherDeviceGoesWithIt) {
  MakeDigitsLibrary(root_ / "opp");
  const ProcessResult written =
      In(root_, "explain",
         {"--soc_version=Ascend310P3", "--ops_info=opp", "--precision_mode=allow_mix_precision",
          "--output=device", "--format=json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  fs::remove_all(root_ / "opp");
  const ProcessResult read =
      In(root_ / "elsewhere", "explain", {"--point=../device", "--format=json"});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_EQ(nlohmann::json::parse(read.out).at("plan_digest"),
            nlohmann::json::parse(written.out).at("plan_digest"));
  const fs::path library = root_ / "device/ops_info" / (std::string(kLibraryPath) + "-Digits.json");
  auto content = nlohmann::json::parse(ReadFile(library));
  content.at("MaxPoolV3").at("input0").at("dtype") = "float";
  content.at("MaxPoolV3").at("output0").at("dtype") = "float";
  WriteFileAtomically(library, content.dump());
  const ProcessResult changed = In(root_ / "elsewhere", "explain", {"--point=../device"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("error: --point=../device: expected the plan "));
}

TEST_F(PointOptionTest, ComparedPointsOfOtherShapesAreRefused) {
  const auto write = [&](const std::string& shape, const std::string& folder) {
    return In(root_, "explain",
              {"--input_shape=" + shape, "--precision_mode=force_fp16", "--output=" + folder})
        .exit_code;
  };
  ASSERT_EQ(write("pixels:1,1,8,8", "one"), 0);
  ASSERT_EQ(write("pixels:2,1,8,8", "two"), 0);
  const ProcessResult other = In(root_, "explain", {"--diff", "one", "two"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err,
            "error: --diff: A is of the input shapes pixels:1,1,8,8, B of pixels:2,1,8,8; expected "
            "the same, so that both are of one graph\n");
  EXPECT_EQ(In(root_, "explain", {"--diff", "one", "precision_mode=force_fp32"}).exit_code, 0);
}

}  // namespace
}  // namespace halftone
