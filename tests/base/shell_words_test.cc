// Words that are written come back, through our reader and through a shell.
#include "src/base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/run_program.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::RunProcess;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kAwkward[] = {
    "",
    " ",
    "a b",
    ";",
    "x:1,3;y:2",
    "it's",
    "'",
    "''",
    "\"",
    "say \"it's\"",
    "\\",
    "a\\'b",
    "$HOME `id` $(id)",
    "*?[a]~{}",
    "# no",
    "\ttab\t",
    "a\nb",
    "\r\n",
    "<>|&!",
    "--a=b c",
    "=",
    "\xff\xfe",
    "\x1b[31mred",
    "täglich",
    "trailing\\ ",
    "'\"'\"'",
    "%s %n",
};

TEST(ShellWords, OnlyWhatNeedsQuotesHasThem) {
  EXPECT_EQ(ShellWord("op_precision.ini"), "op_precision.ini");
  EXPECT_EQ(ShellWord("a b;c"), "'a b;c'");
  EXPECT_EQ(ShellWord("it's"), "'it'\"'\"'s'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellArgument("--input_shape=x:1,3,224,224"), "--input_shape=x:1,3,224,224");
  EXPECT_EQ(ShellArgument("--input_shape=x:1;y:2"), "--input_shape='x:1;y:2'");
  EXPECT_EQ(ShellArgument("--empty="), "--empty=");
  EXPECT_EQ(ShellArgument("two words"), "'two words'");
}

TEST(ShellWords, AreReadBack) {
  std::string text;
  std::vector<std::string> expected;
  for (const char* word : kAwkward) {
    EXPECT_THAT(ShellWords(ShellWord(word)), ElementsAre(word));
    const std::string argument = std::string("--option=") + word;
    EXPECT_THAT(ShellWords(ShellArgument(argument)), ElementsAre(argument));
    text += ShellWord(word) + "\n";
    expected.emplace_back(word);
  }
  EXPECT_EQ(ShellWords(text), expected);
}

TEST(ShellWords, RandomWordsAreReadBack) {
  constexpr std::string_view kBytes = "ab'\"\\ \t\n;$`#=\x80\xff";
  Rng rng(1);
  for (int i = 0; i < 5000; ++i) {
    std::string word;
    for (std::size_t length = rng.Below(9); word.size() < length;) {
      word += kBytes[rng.Below(kBytes.size())];
    }
    ASSERT_THAT(ShellWords(ShellWord(word) + " " + ShellArgument("--a=" + word)),
                ElementsAre(word, "--a=" + word));
  }
}

// What is pasted into a shell is what our reader takes it for.
TEST(ShellWords, AShellReadsTheSame) {
  for (const char* word : kAwkward) {
    const auto result = RunProcess(
        {"/bin/sh", "-c",
         "printf '<%s>' " + ShellWord(word) + " " + ShellArgument(std::string("--a=") + word)});
    EXPECT_EQ(result.out, "<" + std::string(word) + "><--a=" + word + ">") << result.err;
  }
}

TEST(ShellWords, QuotesOfEitherKindGroupAndABackslashIsACharacter) {
  EXPECT_THAT(ShellWords("a 'b c' \"d 'e'\" f' 'g\n\t\r"), ElementsAre("a", "b c", "d 'e'", "f g"));
  EXPECT_THAT(ShellWords("a\\b"), ElementsAre("a\\b"));
  EXPECT_THAT(ShellWords(" \n"), IsEmpty());
  try {
    ShellWords("a 'b");
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), std::string("expected a closing ' in the option set 'a 'b'"));
  }
}

TEST(PosixWords, QuotesAndBackslashes) {
  using ::testing::ElementsAre;
  EXPECT_THAT(PosixWords(" a  b\tc\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(PosixWords(R"(a\ b 'c\ d' "e\ f" "g\"h" '')"),
              ElementsAre("a b", "c\\ d", "e\\ f", "g\"h", ""));
  EXPECT_THAT(PosixWords(R"(--x='a b'"c d"e \\ "\$\`\\")"),
              ElementsAre("--x=a bc de", "\\", "$`\\"));
  EXPECT_THAT(PosixWords("a\\\nb \"c\\\nd\""), ElementsAre("ab", "cd"));
  EXPECT_THAT(PosixWords(""), ElementsAre());
  EXPECT_THAT(PosixWords("$HOME *"), ElementsAre("$HOME", "*"));
}

// A shell splits the same way; no word of these expands there.
TEST(PosixWords, AShellSplitsTheSame) {
  Rng rng(7);
  constexpr std::string_view kLetters = "ab \t'\"\\\\;{}é";
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::size_t length = rng.Below(12); length > 0; --length) {
      text += kLetters[rng.Below(11)];
    }
    std::vector<std::string> words;
    try {
      words = PosixWords(text);
    } catch (const Error&) {
      continue;
    }
    if (text.find(';') != std::string::npos || text.find('{') != std::string::npos ||
        text.find('}') != std::string::npos) {
      continue;  // words of the shell
    }
    std::string expected;
    for (const std::string& word : words) {
      expected += "<" + word + ">";
    }
    const ProgramResult shell = RunProgram(
        {"/bin/sh", "-c", "set -- " + text + "\nfor w; do printf '<%s>' \"$w\"; done"}, 600);
    EXPECT_EQ(shell.out, expected) << text;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(PosixWords, WhatIsNotClosed) {
  for (const char* text : {"'a", "\"a", "a\\"}) {
    EXPECT_THROW(PosixWords(text), Error);
  }
}

}  // namespace
}  // namespace halftone
