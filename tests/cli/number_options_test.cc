// Every option of every command that takes a number, as the help lists them, with what is no number
// or beyond any range: a sentence and exit code 2, or a number of the range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <optional>
#include <regex>

#include "src/base/text.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct NumberOption {
  std::vector<std::string> command;  // "bank", "prune"
  std::string name;                  // "--older_than"
};

const std::vector<std::string>& OddNumbers() {
  static const std::vector<std::string> texts = {"nan",
                                                 "-nan",
                                                 "inf",
                                                 "-inf",
                                                 "-1",
                                                 "1e999",
                                                 "-1e308",
                                                 "1e308",
                                                 "0x10",
                                                 "true",
                                                 "1_0",
                                                 "1 2",
                                                 "--",
                                                 "1e-999",
                                                 "5%%",
                                                 "१",
                                                 std::string(5000, '9'),
                                                 "0." + std::string(5000, '1') + "x"};
  return texts;
}

// Names of the commands inside a command, and its options with numbers.
void Collect(const std::vector<std::string>& command, std::vector<NumberOption>& found) {
  std::vector<std::string> words = command;
  words.emplace_back("--help-all");
  const ProcessResult help = Halftone(words);
  ASSERT_EQ(help.exit_code, 0) << help.err;
  const std::regex number(R"(^  (--\w+) (?:INT|UINT|FLOAT)\b.*)");
  const std::regex inner(R"(^  (\w+)  .*)");
  bool commands = false;
  for (const std::string_view line : Split(help.out, '\n')) {
    const std::string text(line);
    std::smatch match;
    commands = line == "Subcommands:" || (commands && line.starts_with(' '));
    if (std::regex_match(text, match, number)) {
      found.push_back({command, match[1]});
    } else if (commands && std::regex_match(text, match, inner)) {
      std::vector<std::string> path = command;
      path.push_back(match[1]);
      Collect(path, found);
    }
  }
}

std::vector<NumberOption> AllNumberOptions() {
  std::vector<NumberOption> options;
  for (const char* command :
       {"tune", "retune", "run", "explain", "export", "compare", "bank", "fleet"}) {
    Collect({command}, options);
  }
  return options;
}

TEST(NumberOptionsTest, TheHelpListsThem) {
  std::vector<std::string> lines;
  for (const NumberOption& option : AllNumberOptions()) {
    lines.push_back(Join(option.command, " ") + " " + option.name);
  }
  EXPECT_THAT(lines,
              ::testing::IsSupersetOf({"tune --heldout_share", "tune --shape_weights",
                                       "tune --threads", "retune --heldout_share", "run --rtol",
                                       "run --sequence_length", "bank prune --keep_newest",
                                       "fleet status --most", "fleet work --stride"}));
}

// The model is missing, so that a number that is taken ends there.
TEST(NumberOptionsTest, OddNumbersAreRefusedInOneSentenceWithTheRange) {
  for (const NumberOption& option : AllNumberOptions()) {
    for (const std::string& text : OddNumbers()) {
      std::vector<std::string> words = option.command;
      words.push_back(option.name + "=" + text);
      words.emplace_back("--model=/nowhere/model.onnx");
      if (option.command.size() > 1) {
        words.pop_back();
      }
      const ProcessResult result = Halftone(words);
      SCOPED_TRACE(Join(words, " ").substr(0, 200));
      // 1e308 is a number of no range; 1e-999 and 0.111 are none that a double holds.
      EXPECT_EQ(result.exit_code, 2) << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_THAT(result.err, HasSubstr(option.name + ": expected a"));
      EXPECT_THAT(result.err, HasSubstr(", found '"));
      EXPECT_THAT(result.err, Not(HasSubstr("internal error")));
    }
  }
}

// Options with numbers inside a text; "$" stands for the number.
struct TextOption {
  const char* command;
  const char* words;
  bool any_sign = false;  // a bound that may be negative or huge
};

constexpr TextOption kTexts[] = {
    {"tune", "--budget=$"},
    {"tune", "--budget=$s"},
    {"tune", "--budget=$h"},
    {"tune", "--confidence=$"},
    {"tune", "--min_sqnr_db=$", true},
    {"tune", "--max_rel_l2=$", true},
    {"tune", "--max_top1_drop=$"},
    {"tune", "--min_agreement=$"},
    {"tune", "--max_metric=$", true},
    {"tune", "--max_latency_ratio=$", true},
    {"tune", "--min_sqnr_db=40@$%"},
    {"tune", "--goal=max_top1_drop=$"},
    {"tune", "--fail_if=sqnr_db<$", true},
    {"tune", "--strategy=greedy:probes=$"},
    {"tune", "--calibration_method=percentile:$"},
    {"tune", "--max_memory=$"},
    {"tune", "--shape_weights=1,$"},
    {"explain", "--max_memory=$M"},
    {"explain", "--input_shape=pixels:$,1,8,8"},
    {"explain", "--dynamic_batch_size=1,$"},
    {"run", "--image=resize=$"},
    {"run", "--image=range=$", true},
    {"run", "--image=mean=$/1/2", true},
    {"aoe", "--job_type=$"},
    {"aoe", "--max_trials=$"},
    {"aoe", "--max_top1_drop=$"},
    {"aoe", "--threads=$"},
    {"qaic-compile", "-batchsize=$"},
    {"qaic-compile", "-percentile-calibration-value=$"},
    {"qaic-compile", "-num-histogram-bins=$"},
};

TEST(NumberOptionsTest, NumbersInsideATextAreRefusedLikewise) {
  for (const TextOption& option : kTexts) {
    for (const std::string& text : OddNumbers()) {
      std::string word = option.words;
      word.replace(word.find('$'), 1, text);
      const bool qaic = std::string_view(option.command) == "qaic-compile";
      std::vector<std::string> words = {option.command, word,
                                        (qaic ? "-m=" : "--model=") + Digits("model.onnx")};
      if (option.command == std::string_view("tune")) {
        words.insert(words.end(),
                     {"--no_bank", "--output=/proc/none"});  // where a search would end
      } else if (option.command == std::string_view("run")) {
        words.push_back("--inputs=/nowhere.png");
      }
      const ProcessResult result = Halftone(words);
      SCOPED_TRACE(Join(words, " ").substr(0, 200));
      EXPECT_THAT(result.err, HasSubstr("error: "));
      EXPECT_THAT(result.err, Not(HasSubstr("internal error")));
      if (option.any_sign) {
        EXPECT_THAT(result.exit_code, AnyOf(1, 2)) << result.err;
      } else {
        EXPECT_EQ(result.exit_code, 2) << result.err;
      }
    }
  }
}

TEST(NumberOptionsTest, PercentSignsAreExplained) {
  const std::pair<const char*, const char*> cases[] = {
      {"--max_top1_drop=1%", "; 1% is 0.01"},      {"--heldout_share=25%", "; 25% is 0.25"},
      {"--confidence=95%", "; 95% is 0.95"},       {"--max_latency_ratio=80%", "; 80% is 0.8"},
      {"--goal=max_top1_drop=1%", "; 1% is 0.01"}, {"--min_sqnr_db=40%", "; leave out the %"},
      {"--fail_if=top1_drop>1%", "; 1% is 0.01"},  {"--max_trials=50%", "; leave out the %"},
  };
  for (const auto& [word, hint] : cases) {
    const ProcessResult result =
        Halftone({"tune", word, "--model=" + Digits("model.onnx"), "--no_bank"});
    EXPECT_EQ(result.exit_code, 2) << word;
    EXPECT_THAT(result.err, HasSubstr(hint)) << word;
  }
}

TEST(NumberOptionsTest, EnvironmentVariablesAndConfigFilesHaveTheSameParser) {
  for (const char* text : {"nan", "inf", "-1", "0", "1e999", "0x10", "1001", "0.5x"}) {
    const ProcessResult result = testing::RunProcess(
        {HALFTONE_BINARY, "run", "--model=/nowhere.onnx"}, {{"HALFTONE_LATENCY_BUDGET", text}});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("HALFTONE_LATENCY_BUDGET=") + text +
                                      ": expected a number above 0, at most 1000"));
  }
}

}  // namespace
}  // namespace halftone
