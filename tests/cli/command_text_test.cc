// Texts made from the table of commands: wrapping, which options help shows, the manual page.
#include "src/cli/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(WrapTest, BreaksAtBlanks) {
  EXPECT_EQ(Wrap("aaa bbb ccc", 7), "aaa bbb\nccc");
  EXPECT_EQ(Wrap("aaaaaaaaaa b", 4), "aaaaaaaaaa\nb");
  EXPECT_EQ(Wrap("", 4), "");
}

// A command with `count` options, of which the first three are common.
CommandHelp Command(int count) {
  CommandHelp command{.name = "work",
                      .meaning = "Works.",
                      .footer = "Exit codes: 0.\nMore.",
                      .options = {},
                      .commands = {}};
  for (int i = 0; i < count; ++i) {
    command.options.push_back({.names = "--option_" + std::to_string(i),
                               .value = i % 2 == 0 ? "TEXT" : "",
                               .meaning = "What it does, in more words than a line takes",
                               .group = i < 6 ? "First" : "Second",
                               .required = i == 0,
                               .common = i < 3});
  }
  return command;
}

TEST(FormatHelpTest, FewOptionsAreAllShown) {
  EXPECT_EQ(FormatHelp(Command(2), "halftone work", false, 60),
            "Works.\n"
            "Usage: halftone work [OPTIONS]\n"
            "\n"
            "Options:\n"
            "  --option_0 TEXT REQUIRED    What it does, in more words\n"
            "                              than a line takes\n"
            "  --option_1                  What it does, in more words\n"
            "                              than a line takes\n"
            "\n"
            "Exit codes: 0.\n"
            "More.\n");
}

TEST(FormatHelpTest, OfManyTheCommonOnesAreShown) {
  const std::string common = FormatHelp(Command(12), "halftone work", false, 80);
  EXPECT_THAT(common, HasSubstr("\nCommon options:\n  --option_0 TEXT REQUIRED"));
  EXPECT_THAT(common, HasSubstr("  --option_2 TEXT"));
  EXPECT_THAT(common, Not(HasSubstr("--option_3")));
  EXPECT_THAT(common, HasSubstr("\n9 more options: halftone work --help-all\n"));

  const std::string all = FormatHelp(Command(12), "halftone work", true, 80);
  EXPECT_THAT(all, HasSubstr("\nFirst:\n  --option_0 TEXT REQUIRED"));
  EXPECT_THAT(all, HasSubstr("\nSecond:\n  --option_6 TEXT"));
  EXPECT_THAT(all, HasSubstr("  --option_11"));
  EXPECT_THAT(all, Not(HasSubstr("--help-all")));
}

TEST(FormatManualTest, TextIsPrintedAsItStands) {
  CommandHelp program{.name = "halftone",
                      .meaning = "Finds.",
                      .footer = "0 done",
                      .options = {},
                      .commands = {Command(1)}};
  program.commands[0].options[0].meaning = ".hidden \\n 'quoted'";
  const std::string page = FormatManual(program, "0.1.0");
  EXPECT_THAT(page, HasSubstr(".SS halftone work\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-option_0 TEXT\nRequired. \\&.hidden \\en 'quoted'\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n0 done\n"));
}

TEST(FormatCompletionTest, OnlyKnownShells) {
  EXPECT_THROW(FormatCompletion(Command(1), "fish"), Error);
}

}  // namespace
}  // namespace halftone
