// `halftone aoe` advises only options that it has.
#include "src/aoe/aoe_words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "src/aoe/option_table.h"
#include "src/base/file.h"
#include "src/base/option_words.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

bool Decides(std::string_view name) {
  const ToolOption* option = AoeTable().Find(name);
  return option != nullptr &&
         (option->use == ToolOptionUse::kMapped || option->use == ToolOptionUse::kOwn);
}

// Names behind two dashes, but for those of a command line of another command.
std::set<std::string> OptionsIn(const std::string& text) {
  static const std::regex kOption(R"((halftone [a-z-]+ )?--([A-Za-z][A-Za-z0-9_]*))");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kOption), end; at != end; ++at) {
    if (!(*at)[1].matched || (*at)[1] == "halftone aoe ") {
      names.insert((*at)[2]);
    }
  }
  return names;
}

TEST(AoeWordsTest, AnOptionOfTuneIsSaidToBe) {
  EXPECT_EQ(InWordsOfAoe("3 of 20 are used; --draw_samples=0 uses all"),
            "3 of 20 are used; halftone tune --draw_samples=0 uses all");
  EXPECT_EQ(InWordsOfAoe("give more with --budget, or `halftone bank prune --dry_run`"),
            "give more with --budget, or `halftone bank prune --dry_run`");
  EXPECT_EQ(InWordsOfAoe("give it with halftone tune --metric"),
            "give it with halftone tune --metric");
  EXPECT_EQ(InWordsOfAoe("--soc_version=x"), "halftone tune --soc_version=x") << "refused by aoe";
}

// Every name that sentences may hold.
TEST(AoeWordsTest, NoSentenceNamesAnOptionThatAoeLacks) {
  for (const OptionWord& word : AllOptionWords()) {
    for (const std::string& name :
         OptionsIn(InWordsOfAoe("give " + std::string(word.name) + "=1"))) {
      EXPECT_TRUE(Decides(name)) << word.name;
    }
  }
}

// Notes stand in the help and in messages as they are.
TEST(AoeWordsTest, NotesOfTheTableNameWhatAoeHas) {
  for (const ToolOption& option : AoeTable().options) {
    for (const std::string& name : OptionsIn(std::string(option.note))) {
      EXPECT_TRUE(Decides(name)) << "--" << option.name << ": " << option.note;
    }
  }
}

// Texts of the sources: a string that names an option; those of `halftone atc` name its own.
TEST(AoeWordsTest, MessagesOfItsSourcesNameWhatAoeHas) {
  static const std::regex kString(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::size_t found = 0;
  for (const auto& file : fs::directory_iterator(testing::SourceDir() / "src/aoe")) {
    const fs::path name = file.path().filename();
    if (name == "aoe_words.cc" || name == "atc_table.cc" || name.extension() != ".cc") {
      continue;
    }
    const std::string text = ReadFile(file.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kString), end; at != end; ++at) {
      for (const std::string& option : OptionsIn((*at)[1])) {
        ++found;
        EXPECT_TRUE(Decides(option) || option == "help") << file.path() << ": " << (*at)[1];
      }
    }
  }
  EXPECT_GT(found, 20U);
}

}  // namespace
}  // namespace halftone
