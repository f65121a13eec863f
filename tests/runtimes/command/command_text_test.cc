#include "src/runtimes/command/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/runtimes/command/command_options.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PlaceholderValues Values() {
  PlaceholderValues values;
  for (std::size_t i = 0; i < kPlaceholderCount; ++i) {
    values[i] = "<" + std::string(kPlaceholders[i].name) + ">";
  }
  return values;
}

template <typename Action>
std::string MessageOf(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(CommandTextTest, PlaceholdersAreReplacedInsideWords) {
  EXPECT_EQ(FillPlaceholders("--onnx={model},{runs}x{warmup}", Values(), "x"),
            "--onnx=<model>,<runs>x<warmup>");
  EXPECT_EQ(FillPlaceholders("no placeholder }", Values(), "x"), "no placeholder }");
  EXPECT_EQ(FillPlaceholders("", Values(), "x"), "");
}

TEST(CommandTextTest, TwoBracesAreOne) {
  EXPECT_EQ(FillPlaceholders("{{model} {{{model}", Values(), "x"), "{model} {<model>");
}

// What a placeholder stands for is no text with placeholders.
TEST(CommandTextTest, ValuesAreTakenAsTheyAre) {
  PlaceholderValues values = Values();
  values[static_cast<std::size_t>(Placeholder::kModel)] = "/a b/'{runs}\"/ü.onnx";
  EXPECT_EQ(FillPlaceholders("{model}", values, "x"), "/a b/'{runs}\"/ü.onnx");
}

TEST(CommandTextTest, UnknownPlaceholders) {
  const auto message = [](std::string_view text) {
    return MessageOf([&] { FillPlaceholders(text, Values(), "--measure=command"); });
  };
  EXPECT_EQ(message("-m {modle}"),
            "--measure=command: expected one of {model}, {files}, {inputs}, {outputs}, {result}, "
            "{work}, {runs}, {warmup}, {seconds}, {point}, {role} at '{modle}' in '-m {modle}'; "
            "write {{ for a brace");
  EXPECT_THAT(message("awk {print"), HasSubstr("at '{print' in 'awk {print'"));
}

TEST(CommandTextTest, TheEnvironmentHasEachPlaceholder) {
  const std::vector<std::string> words = EnvironmentOf(Values());
  EXPECT_EQ(words.size(), 2 + kPlaceholderCount);
  EXPECT_EQ(words[0], "HALFTONE_MEASURE=1");
  EXPECT_EQ(words[1], "LC_ALL=C");
  EXPECT_THAT(words, ::testing::Contains("HALFTONE_MODEL=<model>"));
  EXPECT_THAT(words, ::testing::Contains("HALFTONE_ROLE=<role>"));
}

TEST(CommandOptionsTest, WordsAreSplitBeforePlaceholdersAreReplaced) {
  const CommandOptions options =
      ParseCommandOptions(R"(tool "--a b={model}" 'c d' e\ f)", "regex:m = ([0-9.]+)", 5, "npy");
  EXPECT_THAT(options.words, ElementsAre("tool", "--a b={model}", "c d", "e f"));
  EXPECT_EQ(options.format.row->name, "regex");
  EXPECT_EQ(options.format.argument, "m = ([0-9.]+)");
  EXPECT_EQ(options.timeout_s, 5);
  EXPECT_EQ(options.form, SampleForm::kNpy);
}

struct Refusal {
  const char* command;
  const char* format;
  double timeout_s;
  const char* form;
  const char* message;
};

// What lies there is deleted before each call.
TEST(CommandOptionsTest, ResultsLieWhereTheCommandAloneWrites) {
  for (const char* tool : {"trtexec:", "benchmark_app:", "hyperfine:", "ais_bench:"}) {
    for (const char* path : {"{result}", "t.json", "./a/../t_{runs}.json", "{work}/t.json",
                             "{outputs}/a/{point}.json", "..t"}) {
      EXPECT_EQ(ParseResultFormat(std::string(tool) + path).argument, path);
    }
    for (const char* path :
         {"/home/me/t.json", "../t.json", "a/../../t.json", "{work}/../t.json", "{work}t.json",
          "{work}", ".", "a/..", "a/", "{model}", "{files}/t.json", "{inputs}/0/0.bin",
          "{result}/../t.json", "{outputs}", "{outputs}/../result2"}) {
      EXPECT_THAT(MessageOf([&] { ParseCommandOptions("a", std::string(tool) + path); }),
                  HasSubstr("--measure_format: expected a file that the command alone writes"))
          << path;
    }
  }
  EXPECT_EQ(MessageOf([] { ParseCommandOptions("a", "trtexec:/home/me/t.json"); }),
            "--measure_format: expected a file that the command alone writes, {result} or a path "
            "inside {work}, since what lies there is deleted before each call; got "
            "'/home/me/t.json'");
}

TEST(CommandOptionsTest, Refusals) {
  const Refusal refusals[] = {
      {"", "halftone", 1, "bin",
       "--measure=command: expected a program and its arguments, as in 'command:sh measure.sh "
       "{model}'"},
      {"a 'b", "halftone", 1, "bin", "--measure=command: expected a closing ' in 'a 'b'"},
      {"a b\\", "halftone", 1, "bin",
       "--measure=command: expected a character behind the backslash at the end of 'a b\\'"},
      {"a", "json", 1, "bin",
       "--measure_format: expected one of halftone, number, trtexec:FILE, benchmark_app:FILE, "
       "hyperfine:FILE, ais_bench:FILE, regex:EXPRESSION, got 'json'"},
      {"a", "halftone:x", 1, "bin",
       "--measure_format: expected one of halftone, number, trtexec:FILE, benchmark_app:FILE, "
       "hyperfine:FILE, ais_bench:FILE, regex:EXPRESSION, got 'halftone:x'"},
      {"a", "trtexec:", 1, "bin",
       "--measure_format: expected one of halftone, number, trtexec:FILE, benchmark_app:FILE, "
       "hyperfine:FILE, ais_bench:FILE, regex:EXPRESSION, got 'trtexec:'"},
      {"a", "regex:[0-9]+", 1, "bin",
       "--measure_format: expected a group around the milliseconds in '[0-9]+', as in 'median = "
       "([0-9.]+)'"},
      {"a", "halftone", 0, "bin",
       "--measure_timeout=0: expected a number above 0, at most 31622400"},
      {"a", "halftone", 1, "raw", "--measure_inputs: expected bin, npy, got 'raw'"},
  };
  // The compiler of expressions calls itself for each parenthesis: 20,000 of them were too many.
  const std::string deep = "regex:" + std::string(20'000, '(') + std::string(20'000, ')');
  EXPECT_EQ(MessageOf([&] { ParseCommandOptions("a", deep, 1, "bin"); }),
            "--measure_format: expected a regular expression of at most 1024 bytes, found one of "
            "40000");
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(MessageOf([&] {
                ParseCommandOptions(refusal.command, refusal.format, refusal.timeout_s,
                                    refusal.form);
              }),
              refusal.message);
  }
  EXPECT_THAT(MessageOf([] { ParseCommandOptions("a", "regex:(["); }),
              HasSubstr("--measure_format: '([' is no regular expression: "));
  EXPECT_THAT(MessageOf([] { ParseCommandOptions("a", "trtexec:{outptus}"); }),
              HasSubstr("--measure_format: expected one of {model}"));
}

}  // namespace
}  // namespace halftone
