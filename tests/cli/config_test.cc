// What the program takes from --config, what it leaves out when it is to be quiet, and the texts
// for a shell and for man.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ConfigFile(const std::string& name, const std::string& text) {
  std::string path = ::testing::TempDir() + "halftone_config_test_" + name;
  WriteFileAtomically(path, text);
  return path;
}

ProcessResult Explain(const std::string& config, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"explain", "--config=" + ConfigFile("explain.ini", config)});
  return Halftone(more);
}

TEST(ConfigTest, OptionsOfTheFileAndOfTheCommandsSection) {
  const ProcessResult result =
      Explain("# comment\nmodel = \"" + Digits("model.onnx") +
              "\"\nsteps = true\n[explain]\nprecision_mode = force_fp16\n[tune]\nmax_trials = 3\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  f16,f16,f16 "));
  EXPECT_THAT(result.out, HasSubstr("21 nodes run as 10 steps"));
}

TEST(ConfigTest, TheCommandLineWins) {
  const std::string file =
      "model = \"" + Digits("model.onnx") + "\"\nprecision_mode = force_fp16\n";
  for (const std::vector<std::string>& typed :
       {std::vector<std::string>{"--precision_mode=force_fp32"},
        std::vector<std::string>{"--precision_mode", "force_fp32"}}) {
    const ProcessResult result = Explain(file, typed);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("force_fp32 on host"));
  }
}

TEST(ConfigTest, ErrorsNameTheFile) {
  const ProcessResult unknown = Explain("modle = x\n");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("explain.ini: 'modle' is no option of halftone explain; did "
                                     "you mean model?"));
  const ProcessResult section = Explain("[explan]\nsteps = true\n");
  EXPECT_EQ(section.exit_code, 2);
  EXPECT_THAT(section.err,
              HasSubstr("explain.ini: expected a command of halftone as section, found "
                        "[explan]; did you mean [explain]?"));
  const ProcessResult deep = Explain("[explain.more]\nsteps = true\n");
  EXPECT_EQ(deep.exit_code, 2);
  EXPECT_THAT(deep.err, HasSubstr("found [explain.more]"));
  const ProcessResult empty = Explain("[nope]\n");
  EXPECT_EQ(empty.exit_code, 2) << "a section without a line is named, too";
  const ProcessResult flag = Explain("steps = perhaps\n");
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.err, HasSubstr("steps expects true or false, found 'perhaps'"));
  EXPECT_EQ(Halftone({"explain", "--config=/nowhere.ini"}).exit_code, 1);
  const ProcessResult none = Halftone({"explain", "--config"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--config expects one file, found none"));
  const std::string path = ConfigFile("other.ini", "");
  const ProcessResult several = Halftone({"explain", "--config=" + path, "--config=" + path});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, HasSubstr("--config expects one file, found several"));
}

// CLI11 copies all parts of a name for each of them: gigabytes for 40 KB.
TEST(ConfigTest, NamesOfManyPartsAreRefused) {
  std::string name = "a";
  for (int part = 0; part < 20'000; ++part) {
    name += ".a";
  }
  for (const std::string& line : {"[" + name + "]\n", name + " = 1\n"}) {
    const ProcessResult result = Explain("model = x\n" + line);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("explain.ini: line 2: expected the name of an option or of a "
                                      "command, found one of 20001 parts"));
  }
  const std::string value = "model = \"" + Digits("model.onnx") + "\" # a.b.c.d.e.f.g.h.i.j.k\n";
  EXPECT_EQ(Explain("# " + name + "\n" + value).exit_code, 0) << "a comment has no parts";
}

TEST(ConfigTest, CommentsStandBehindValuesToo) {
  const std::string model = "model = \"" + Digits("model.onnx") + "\"";
  const ProcessResult result = Explain("  # all\n" + model +
                                       "\t# of the example\n[explain] # this command\n"
                                       "precision_mode = force_fp16 # \"fast\"\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("force_fp16 on host"));
  const ProcessResult quoted = Explain("model = \"nowhere #1.onnx\" # none\n");
  EXPECT_THAT(quoted.err, HasSubstr("nowhere #1.onnx'"));
  const ProcessResult inside = Explain("model = nowhere#1.onnx\n");
  EXPECT_THAT(inside.err, HasSubstr("nowhere#1.onnx'"));
}

TEST(VerbosityTest, QuietLeavesResultsWarningsAndErrors) {
  const std::vector<std::string> words = {"explain", "--model=" + Digits("model.onnx"),
                                          "--precision_mode=force_fp16", "--allow_hf32=true"};
  const ProcessResult normal = Halftone(words);
  EXPECT_THAT(normal.err, HasSubstr("note: "));
  std::vector<std::string> more = words;
  more.emplace_back("--quiet");
  const ProcessResult quiet = Halftone(more);
  EXPECT_EQ(quiet.exit_code, 0) << quiet.err;
  EXPECT_EQ(quiet.out, normal.out);
  EXPECT_THAT(quiet.err, Not(HasSubstr("note: ")));
  more.emplace_back("--verbose");
  EXPECT_EQ(Halftone(more).exit_code, 2);
}

TEST(VerbosityTest, VerboseNamesEveryPlan) {
  const ProcessResult result =
      Halftone({"tune", "--model=" + Digits("model.onnx"), "--no_bank", "--operator_tuning=off",
                "--strategy=random", "--max_trials=3", "--threads=1", "--verbose"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("plan 1: "));
  EXPECT_THAT(result.err, HasSubstr("plan 3: "));
}

TEST(HelpTextTest, EveryOptionIsInOneGroupOfAtMostTen) {
  for (const char* command : {"tune", "retune", "run", "explain"}) {
    const ProcessResult help = Halftone({command, "--help-all"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_THAT(help.out, Not(HasSubstr("\nOptions:\n")))
        << "an option of " << command << " is in no group of src/cli/command_text.cc";
    int options = 0;
    std::string heading;
    for (const std::string_view line : Split(help.out, '\n')) {
      if (!line.starts_with(' ')) {
        heading = line;
        options = 0;
      } else if (line.starts_with("  -")) {
        EXPECT_LE(++options, 10) << command << ", " << heading;
      }
      EXPECT_LE(line.size(), 80U) << line;
    }
    const ProcessResult common = Halftone({command, "--help"});
    EXPECT_THAT(common.out, HasSubstr("\nCommon options:\n"));
    EXPECT_THAT(common.out,
                HasSubstr(std::string("more options: halftone ") + command + " --help-all"));
  }
}

// What bash offers behind these words, the last of which is being typed.
std::string Offered(const std::string& words) {
  const ProcessResult script = Halftone({"completion", "bash"});
  EXPECT_EQ(script.exit_code, 0) << script.err;
  const std::string path = ConfigFile("completion.bash", script.out);
  const ProcessResult result = RunProcess(
      {"/bin/bash", "-c",
       "source '" + path + "'; COMP_WORDS=(halftone " + words +
           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _halftone; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(CompletionTest, OffersCommandsAndOptions) {
  EXPECT_EQ(Offered("ret"), "retune\n");
  EXPECT_EQ(Offered("tune --heldout_l"), "--heldout_labels=\n");
  EXPECT_EQ(Offered("tune --no_b"), "--no_bank\n");
  EXPECT_EQ(Offered("bank exp"), "export\n");
  EXPECT_EQ(Offered("bank list --op"), "--op_bank_path=\n");
  EXPECT_THAT(Offered("''"),
              HasSubstr("tune retune run explain export compare bank fleet aoe atc qaic-compile"));
  EXPECT_EQ(Halftone({"completion", "fish"}).exit_code, 2);
  EXPECT_THAT(Halftone({"completion", "zsh"}).out, HasSubstr("bashcompinit"));
}

TEST(ManualTest, HasEveryCommand) {
  const ProcessResult page = Halftone({"manual"});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(page.out, StartsWith(".TH HALFTONE 1 "));
  for (const char* command : {"tune", "retune", "run", "explain", "bank list", "completion"}) {
    EXPECT_THAT(page.out, HasSubstr(std::string(".SS halftone ") + command + "\n"));
  }
  EXPECT_THAT(page.out, HasSubstr(".B \\-\\-heldout_labels TEXT\n"));
}

}  // namespace
}  // namespace halftone
