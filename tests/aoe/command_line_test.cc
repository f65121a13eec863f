#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/aoe/option_table.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ToolCommandLine Parse(const std::vector<std::string>& words) {
  return ParseAoeCommandLine(words);
}

TEST(AoeCommandLineTest, ValuesFollowAnEqualsSignOrABlank) {
  EXPECT_THAT(Parse({"--model=a.onnx", "--job_type", "2", "-f", "5", "--Fdeeper_opat"}).values,
              UnorderedElementsAre(
                  Pair("model", ElementsAre("a.onnx")), Pair("job_type", ElementsAre("2")),
                  Pair("framework", ElementsAre("5")), Pair("Fdeeper_opat", ElementsAre("true"))));
  EXPECT_THAT(Parse({"-m", "a.onnx", "-j", "1"}).values,
              UnorderedElementsAre(Pair("model", ElementsAre("a.onnx")),
                                   Pair("job_type", ElementsAre("1"))));
  EXPECT_THAT(Parse({"--min_sqnr_db", "-3.5"}).values,
              ElementsAre(Pair("min_sqnr_db", ElementsAre("-3.5"))));
  EXPECT_THAT(Parse({"--input_shape=a:1,3=;b:2"}).values,
              ElementsAre(Pair("input_shape", ElementsAre("a:1,3=;b:2"))))
      << "only the first equals sign divides";
}

TEST(AoeCommandLineTest, ReloadTakesAValueOrNone) {
  EXPECT_THAT(
      Parse({"--reload", "--job_type=1"}).values,
      UnorderedElementsAre(Pair("reload", ElementsAre("")), Pair("job_type", ElementsAre("1"))));
  EXPECT_THAT(Parse({"--reload"}).values, ElementsAre(Pair("reload", ElementsAre(""))));
  EXPECT_THAT(Parse({"--reload=aoe_workspace/a_1"}).values,
              ElementsAre(Pair("reload", ElementsAre("aoe_workspace/a_1"))));
  EXPECT_THAT(Parse({"--reload", "aoe_workspace/a_1"}).values,
              ElementsAre(Pair("reload", ElementsAre("aoe_workspace/a_1"))));
}

TEST(AoeCommandLineTest, AnEmptyValueIsNotGiven) {
  const ToolCommandLine line = Parse({"--model=", "--progress_bar=", "--singleop=", "--reload="});
  EXPECT_THAT(line.values, IsEmpty());
  EXPECT_EQ(line.Get("progress_bar"), "on");
}

TEST(AoeCommandLineTest, HelpWinsOverErrors) {
  EXPECT_TRUE(Parse({"--nonsense", "--help"}).help);
  EXPECT_TRUE(Parse({"-h"}).help);
  EXPECT_FALSE(Parse({}).help);
}

// A value that an option of this kind accepts.
std::string GoodValue(const ToolOption& option) {
  switch (option.kind) {
    case ToolValueKind::kChoice:
    case ToolValueKind::kBoolean:
      return std::string(Split(option.choices, ',').front());
    case ToolValueKind::kInteger:
      return std::to_string(option.most);
    case ToolValueKind::kIntegers:
      return std::to_string(option.least) + "," + std::to_string(option.most);
    case ToolValueKind::kNumber:
      return "0.5";
    default:
      return "text";
  }
}

class OptionTest : public ::testing::TestWithParam<ToolOption> {};

TEST_P(OptionTest, DoesWhatItsRowSays) {
  const ToolOption& option = GetParam();
  const std::string name(option.name);
  EXPECT_EQ(AoeTable().Find(option.name), AoeTable().Find(name));
  EXPECT_FALSE(option.note.empty());
  std::vector<std::string> words = {"--" + name};
  if (option.kind != ToolValueKind::kFlag) {
    words = {"--" + name + "=" + GoodValue(option)};
  }
  if (option.use == ToolOptionUse::kRefused) {
    try {
      Parse(words);
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(),
                "E10001: --" + name + " is not supported: " + std::string(option.note));
    }
    return;
  }
  const ToolCommandLine line = Parse(words);
  EXPECT_TRUE(line.Has(name));
  if (option.use == ToolOptionUse::kNoEffect) {
    EXPECT_THAT(line.notes,
                ElementsAre("--" + name + " has no effect here: " + std::string(option.note)));
  } else {
    EXPECT_THAT(line.notes, IsEmpty());
  }
  if (!option.default_value.empty()) {
    EXPECT_NO_THROW(Parse({"--" + name + "=" + std::string(option.default_value)}));
  }
}

TEST_P(OptionTest, RefusesValuesOutsideItsRow) {
  const ToolOption& option = GetParam();
  const std::string name(option.name);
  const auto refuses = [&](const std::string& value, const std::string& message) {
    try {
      Parse({"--" + name + "=" + value});
      ADD_FAILURE() << "accepted " << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  };
  if (option.kind == ToolValueKind::kChoice || option.kind == ToolValueKind::kBoolean) {
    const std::string code = option.kind == ToolValueKind::kChoice ? "E10001" : "E10005";
    refuses("Maybe",
            code + ": --" + name + "=Maybe: expected one of " + std::string(option.choices));
  }
  if (option.kind == ToolValueKind::kInteger) {
    const std::string range = "expected an integer from " + std::to_string(option.least) + " to " +
                              std::to_string(option.most);
    for (const std::string& value :
         {std::to_string(option.least - 1), std::to_string(option.most + 1), std::string("1.5"),
          std::string("99999999999999999999"), std::string("x")}) {
      refuses(value, "E10001: --" + name + "=" + value + ": " + range);
    }
  }
  if (option.kind == ToolValueKind::kIntegers) {
    const std::string list = "expected integers from " + std::to_string(option.least) + " to " +
                             std::to_string(option.most) + ", separated by commas, found ";
    for (const auto& [value, item] : {std::pair("x", "x"), std::pair("0,", ""),
                                      std::pair("0,1.5", "1.5"), std::pair("-1", "-1")}) {
      refuses(value, "E10001: --" + name + "=" + value + ": " + list + "'" + item + "'");
    }
  }
  if (option.kind == ToolValueKind::kNumber) {
    const bool bounded = option.most > option.least;
    const std::string range =
        bounded ? " from " + std::to_string(option.least) + " to " + std::to_string(option.most)
                : "";
    std::vector<std::string> values = {"nan", "inf", "1x"};
    if (bounded) {
      values.push_back(std::to_string(option.least - 1));
      values.push_back(std::to_string(option.most + 1));
    }
    for (const std::string& value : values) {
      refuses(value, "E10001: --" + name + "=" + value + ": expected a number" + range);
    }
  }
  if (option.kind == ToolValueKind::kFlag) {
    refuses("1", "--" + name + "=1: expected no value: --" + name + " is a flag");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OptionTest, ::testing::ValuesIn(AoeTable().options),
                         [](const auto& row) { return std::string(row.param.name); });

struct BadCase {
  const char* name;
  std::vector<std::string> words;
  const char* message;
};

class BadCommandLineTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCommandLineTest, SaysWhy) {
  try {
    Parse(GetParam().words);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"Unknown",
     {"--modle=x"},
     "unknown option --modle; did you mean --model?; see halftone aoe "
     "--help"},
    {"UnknownFar", {"--frobnicate"}, "unknown option --frobnicate; see halftone aoe --help"},
    {"UnknownShort", {"-x", "1"}, "unknown option -x; see halftone aoe --help"},
    {"Stray", {"model.onnx"}, "'model.onnx' belongs to no option; see halftone aoe --help"},
    {"Dash", {"-"}, "'-' belongs to no option; see halftone aoe --help"},
    {"ShortWithEquals", {"-m=x"}, "-m=x: expected a blank between -m and its value"},
    {"ShortGlued", {"-j2"}, "-j2: expected a blank between -j and its value"},
    {"ValueMissing", {"--model"}, "--model: expected a value after it, found the end"},
    {"ValueIsOption",
     {"--model", "--job_type=1"},
     "--model: expected a value after it, found '--job_type=1'"},
    {"ShortValueMissing", {"-m"}, "-m: expected a value after it, found the end"},
    {"Twice", {"--model=a", "-m", "b"}, "--model is given twice; give it once"},
    {"DynamicProfiles",
     {"--dynamic_batch_size=1,2", "--dynamic_dims=1;2"},
     "E10056: --dynamic_batch_size and --dynamic_dims exclude each other; give one of them"},
    {"PortOutOfRange",
     {"--port=5999"},
     "E10001: --port=5999: expected an integer from 6000 to "
     "10000"},
};

INSTANTIATE_TEST_SUITE_P(Words, BadCommandLineTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

TEST(AoeHelpTest, GoldenText) {
  EXPECT_TRUE(testing::MatchesGolden(AoeHelp(), "aoe/help.txt"));
}

}  // namespace
}  // namespace halftone
