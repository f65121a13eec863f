#include "src/aoe/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AoeConfigurationTest, ReadsTheDocumentedForm) {
  const AoeConfiguration configuration = ParseAoeConfiguration(
      "# comment\n[COMMON]\r\nWORK_PATH=./work\r\n TUNING_PARALLEL_NUM = 64\n; more\nRUN_LOOP=1\n",
      "aoe.ini");
  EXPECT_EQ(configuration.work_path, "./work");
  EXPECT_EQ(configuration.tuning_parallel_num, 64);
  EXPECT_EQ(configuration.run_loop, 1);
  EXPECT_THAT(configuration.warnings, IsEmpty());
}

TEST(AoeConfigurationTest, DefaultsOfAnEmptyFile) {
  const AoeConfiguration configuration = ParseAoeConfiguration("", "aoe.ini");
  EXPECT_EQ(configuration.work_path, "");
  EXPECT_EQ(configuration.tuning_parallel_num, 8);
  EXPECT_EQ(configuration.run_loop, 10);
}

TEST(AoeConfigurationTest, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(ParseAoeConfiguration("\xEF\xBB\xBF[COMMON]\nRUN_LOOP=3\n", "aoe.ini").run_loop, 3);
}

TEST(AoeConfigurationTest, UnknownNamesAreWarnings) {
  EXPECT_THAT(
      ParseAoeConfiguration("[OTHER]\nLOOPS=1\nRUN_LOOP=2048", "a.ini").warnings,
      ElementsAre("a.ini:1: the section [OTHER] is not known; its keys are read as those of "
                  "[COMMON]",
                  "a.ini:2: the key 'LOOPS' is not known and has no effect"));
}

struct BadCase {
  const char* name;
  std::string text;
  std::string message;
};

class BadConfigurationTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadConfigurationTest, SaysWhere) {
  try {
    ParseAoeConfiguration(GetParam().text, "aoe.ini");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"NoEquals", "[COMMON]\nRUN_LOOP 10\n",
     "aoe.ini:2: expected [COMMON], KEY=value or a # comment, found 'RUN_LOOP 10'"},
    {"Binary",
     std::string("\x7F"
                 "ELF\x02\0",
                 6),
     "aoe.ini:1: expected [COMMON], KEY=value or a # comment, found '\\x7fELF\\x02\\x00'"},
    {"LongLine", std::string(1 << 20, 'x'),
     "aoe.ini:1: expected [COMMON], KEY=value or a # comment, found '" + std::string(38, 'x') +
         "..." + std::string(39, 'x') + "'"},
    {"Twice", "RUN_LOOP=1\nRUN_LOOP=1\n", "aoe.ini:2: RUN_LOOP is given twice; give it once"},
    {"LoopZero", "RUN_LOOP=0", "aoe.ini:1: RUN_LOOP=0: expected an integer from 1 to 2048"},
    {"LoopLarge", "RUN_LOOP=2049", "aoe.ini:1: RUN_LOOP=2049: expected an integer from 1 to 2048"},
    {"LoopText", "RUN_LOOP=ten", "aoe.ini:1: RUN_LOOP=ten: expected an integer from 1 to 2048"},
    {"LoopEmpty", "RUN_LOOP=", "aoe.ini:1: RUN_LOOP=: expected an integer from 1 to 2048"},
    {"ParallelZero", "TUNING_PARALLEL_NUM=0",
     "aoe.ini:1: TUNING_PARALLEL_NUM=0: expected an integer from 1 to 64"},
    {"ParallelLarge", "TUNING_PARALLEL_NUM=65",
     "aoe.ini:1: TUNING_PARALLEL_NUM=65: expected an integer from 1 to 64"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadConfigurationTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
