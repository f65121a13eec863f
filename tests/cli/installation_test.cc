// An Ascend installation on the machine, found by its variables: what is said, what is read, and
// what the knowledge base makes of another version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/digits_library.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::kDigitsTypes;
using ::halftone::testing::kLibraryPath;
using ::halftone::testing::MakeDigitsLibrary;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() {
    fs::remove_all(root_);
    MakeDigitsLibrary(opp_);
    WriteFileAtomically(opp_ / "version.info", "Version=7.7.0.1.238\nversion_dir=8.1.RC1\n");
  }

  ~InstallationTest() override { fs::remove_all(root_); }

  // As a user of the installation does, after its set_env.sh; `opp`: the folder that it sets.
  [[nodiscard]] ProcessResult Run(Words words, const std::string& opp) const {
    words.insert(words.begin(), HALFTONE_BINARY);
    return RunProcess(words, {{"HALFTONE_OPS_INFO", ""},
                              {"TUNE_BANK_PATH", ""},
                              {"HOME", root_.string()},
                              {"ASCEND_OPP_PATH", opp}});
  }

  [[nodiscard]] ProcessResult Explain(const std::string& opp, Words more = {}) const {
    Words words = {"explain", "--model=" + Digits("model.onnx"), "--soc_version=Ascend310P3",
                   "--precision_mode=force_fp16"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words, opp);
  }

  // Longer than what a message quotes of a line: a path is said whole.
  fs::path root_ =
      fs::path(::testing::TempDir()) / ("halftone_cli_installation_" + std::string(100, 'x'));
  fs::path opp_ = root_ / "opp";
  std::string note_ = "note: operator library: that of the installation '" + opp_.string() +
                      "', found by ASCEND_OPP_PATH; --ops_info=builtin takes the built-in one\n";
};

TEST_F(InstallationTest, ItsLibraryTakesThePlaceOfTheBuiltInOne) {
  const ProcessResult found = Explain(opp_.string());
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(found.err.find(note_), found.err.rfind(note_)) << found.err;  // said once
  EXPECT_THAT(found.err,
              AllOf(HasSubstr(note_), HasSubstr("note: operator library of version 8.1.RC1\n")));
  const ProcessResult named = Explain("", {"--ops_info=" + opp_.string()});
  EXPECT_EQ(found.out, named.out);
  const ProcessResult builtin = Explain(opp_.string(), {"--ops_info=builtin"});
  EXPECT_EQ(builtin.exit_code, 0) << builtin.err;
  EXPECT_THAT(builtin.err, Not(HasSubstr("operator library")));
  const ProcessResult none = Explain("");
  EXPECT_EQ(builtin.out, none.out);
  EXPECT_EQ(builtin.err, none.err);
}

// What the plan is read from: a file of the installation that is changed.
TEST_F(InstallationTest, ItsFilesDecide) {
  const auto mode = Words{"--precision_mode=allow_mix_precision"};
  const std::string before = Explain(opp_.string(), {"--format=json"}).out;
  std::string types(kDigitsTypes);
  const std::string_view pool = R"("MaxPoolV3": {"input0": {"dtype": "float16,float")";
  const std::size_t at = types.find(pool);
  ASSERT_NE(at, std::string::npos);
  types.replace(at, pool.size(), R"("MaxPoolV3": {"input0": {"dtype": "float,float")");
  const std::string_view out = R"("output0": {"dtype": "float16,float")";
  types.replace(types.find(out, at), out.size(), R"("output0": {"dtype": "float,float")");
  WriteFileAtomically(opp_ / (std::string(kLibraryPath) + "-Digits.json"), types);
  EXPECT_NE(Explain(opp_.string(), {"--format=json"}).out, before);
}

TEST_F(InstallationTest, AVariableThatIsWrongIsAWarning) {
  const ProcessResult wrong = Explain((root_ / "nowhere").string());
  EXPECT_EQ(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err,
              HasSubstr("warning: ASCEND_OPP_PATH names the folder '" + root_.string() +
                        "/nowhere', but there is no such folder: the built-in operator library "
                        "counts; set the variable to the folder of an installation, or give "
                        "--ops_info=builtin\n"));
  EXPECT_EQ(wrong.out, Explain("").out);
}

TEST_F(InstallationTest, OtherTargetsDoNotLookForOne) {
  for (const char* target : {"host", "cloud_ai_100"}) {
    const ProcessResult other =
        Run({"explain", "--model=" + Digits("model.onnx"), std::string("--soc_version=") + target},
            (root_ / "nowhere").string());
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_THAT(other.err, Not(HasSubstr("ASCEND_OPP_PATH")));
  }
}

TEST_F(InstallationTest, AFileThatIsCorruptIsNamed) {
  const fs::path file = opp_ / (std::string(kLibraryPath) + ".json");
  WriteFileAtomically(file, "{\"Relu\": ");
  const ProcessResult corrupt = Explain(opp_.string());
  EXPECT_EQ(corrupt.exit_code, 2);
  EXPECT_THAT(corrupt.err, AllOf(HasSubstr(note_), HasSubstr(file.string())));
}

// A point has copies of the files, so it is the same plan on a machine without an installation, and
// on one with another.
TEST_F(InstallationTest, APointKeepsItsLibrary) {
  const std::string point = (root_ / "point").string();
  const ProcessResult written = Explain(opp_.string(), {"--output=" + point});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const Words read = {"explain", "--model=" + Digits("model.onnx"), "--point=" + point};
  const ProcessResult here = Run(read, opp_.string());
  fs::rename(opp_, root_ / "gone");
  const ProcessResult elsewhere = Run(read, "");
  ASSERT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  EXPECT_EQ(here.out, elsewhere.out);
  EXPECT_THAT(here.err, Not(HasSubstr("found by")));
}

// The front of one library is no answer for another, nor for another version of it.
TEST_F(InstallationTest, TheKnowledgeBaseKeepsLibrariesApart) {
  const Words tune = {"tune",
                      "--model=" + Digits("model.onnx"),
                      "--inputs=" + Digits("search_inputs.npy"),
                      "--max_samples=3",
                      "--soc_version=Ascend310P3",
                      "--max_trials=4",
                      "--op_bank_path=" + (root_ / "bank").string()};
  const auto answer = [&](const std::string& opp) {
    const ProcessResult tuned = Run(tune, opp);
    EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
    return tuned.out.find("answered from") != std::string::npos ? "bank" : "search";
  };
  EXPECT_STREQ(answer(opp_.string()), "search");
  EXPECT_STREQ(answer(opp_.string()), "bank");
  EXPECT_STREQ(answer(""), "search");
  EXPECT_STREQ(answer(""), "bank");
  const Words stored = {"explain", "--model=" + Digits("model.onnx"), "--soc_version=Ascend310P3",
                        "--select=fastest", "--op_bank_path=" + (root_ / "bank").string()};
  for (const std::string& opp : {opp_.string(), std::string()}) {  // each finds its own front
    EXPECT_THAT(Run(stored, opp).err, Not(HasSubstr("warning: ")));
  }
  WriteFileAtomically(opp_ / "version.info", "version_dir=8.2.RC1\n");
  EXPECT_THAT(
      Run(stored, opp_.string()).err,
      ContainsRegex("warning: searched with .*, here are the operators of library [0-9a-f]+ "
                    "of version 8.2.RC1: tune again with these\n"));
  EXPECT_STREQ(answer(opp_.string()), "search");
  const ProcessResult list = Run(
      {"bank", "list", "--soc_version=Ascend310P3", "--op_bank_path=" + (root_ / "bank").string()},
      "");
  EXPECT_THAT(list.out, AllOf(HasSubstr("of version 8.1.RC1"), HasSubstr("of version 8.2.RC1")));
}

}  // namespace
}  // namespace halftone
