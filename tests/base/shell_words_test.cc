// Words that are written come back, through our reader and through a shell.
#include "src/base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/rng.h"
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

}  // namespace
}  // namespace halftone
