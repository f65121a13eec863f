// Names of options in messages, and those of each language.
#include "src/base/option_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::IsEmpty;

struct WordCase {
  const char* name;
  Language language;
  const char* sentence;
  const char* expected;
};

class OptionWordsTest : public ::testing::TestWithParam<WordCase> {};

TEST_P(OptionWordsTest, AreThoseOfTheLanguage) {
  EXPECT_EQ(InWordsOf(GetParam().language, GetParam().sentence), GetParam().expected);
}

const WordCase kCases[] = {
    {"Name", Language::kPython, "give --inputs, or --state", "give inputs, or state"},
    {"Value", Language::kPython, "E10001: --soc_version=nope: no such target",
     "E10001: target=nope: no such target"},
    {"Bank", Language::kPython, "check --op_bank_path and --soc_version", "check bank and target"},
    {"BankOfC", Language::kC, "check --op_bank_path and --soc_version",
     "check bank and soc_version"},
    {"Shape", Language::kPython, "use --input_shape=\"x:1,3\"", "use input_shape=\"x:1,3\""},
    {"Shapes", Language::kPythonShapes, "use --input_shape=\"x:1,3\"",
     "use input_shapes=\"x:1,3\""},
    {"ShapeOfC", Language::kC, "use --input_shape=\"x:1,3\"", "use input_shape=\"x:1,3\""},
    {"Function", Language::kPython, "or call AddShape() first", "or call add_shape() first"},
    {"FunctionOfC", Language::kC, "or call AddShape() first",
     "or call halftone_session_add_shape() first"},
    {"LongerName", Language::kPython, "--precision_mode_v2=fp16 and --precision_mode",
     "precision_mode_v2=fp16 and precision_mode"},
    {"InQuotes", Language::kPython, "'--metric=command'", "'metric=command'"},
    {"CommandLine", Language::kPython, "or fill it: `halftone bank prune --dry_run --to=x`, --to=y",
     "or fill it: `halftone bank prune --dry_run --to=x`, to=y"},
    {"SentenceOnHalftone", Language::kPython, "halftone tunes one shape: --input_shape",
     "halftone tunes one shape: input_shape"},
    {"OtherTools", Language::kPython, "--fp16 --noTF32 --inputs_of_mine",
     "--fp16 --noTF32 --inputs_of_mine"},
    {"PartOfAName", Language::kPython, "'a--inputs' and '/--model'", "'a--inputs' and '/--model'"},
};

INSTANTIATE_TEST_SUITE_P(Sentences, OptionWordsTest, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

// Options of other tools, and of commands that no other language has.
const std::set<std::string> kOthers = {"--bf16",
                                       "--calibration_config",
                                       "--compression",
                                       "--compression_optimize_conf",
                                       "--config",
                                       "--dominated",
                                       "--dry_run",
                                       "--file",
                                       "--float_bitwidth",
                                       "--fp16",
                                       "--framework",
                                       "--help",
                                       "--input_format",
                                       "--input_network",
                                       "--int8",
                                       "--keep_newest",
                                       "--layer",
                                       "--machine",
                                       "--name",
                                       "--no",
                                       "--older_than",
                                       "--onnx",
                                       "--other_versions",
                                       "--quantization_overrides",
                                       "--same_cpu",
                                       "--save_path",
                                       "--strongly",
                                       "--superseded",
                                       "--tensor",
                                       "--tensors",
                                       "--trt",
                                       "--weight",
                                       "--build",
                                       "--preset"};

// The texts between quotation marks, without escaped characters. (A regular expression for them
// overflows the stack of a build with a sanitizer.)
std::vector<std::string> Literals(const std::string& source) {
  std::vector<std::string> literals;
  std::string literal;
  bool inside = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '"') {
      if (inside) {
        literals.push_back(std::exchange(literal, {}));
      }
      inside = !inside;
    } else if (inside && source[i] == '\\') {
      ++i;
    } else if (inside) {
      literal += source[i];
    }
  }
  return literals;
}

std::set<std::string> NamesInTexts(const std::filesystem::path& file) {
  static const std::regex kName("(?:^|[^A-Za-z0-9_/-])(--[a-z][a-z_0-9]+)");
  const std::string source = ReadFile(file);
  std::set<std::string> names;
  for (const std::string& literal : Literals(source)) {
    for (std::sregex_iterator j(literal.begin(), literal.end(), kName), end; j != end; ++j) {
      names.insert((*j)[1].str());
    }
  }
  return names;
}

// A new option in a message of the library needs a row, or its name stays that of the command line.
TEST(OptionWordsTest, EveryOptionThatTheLibraryNamesHasARow) {
  std::set<std::string> known;
  for (const OptionWord& row : AllOptionWords()) {
    known.insert(std::string(row.name));
  }
  const std::set<std::string> programs = {"cli",      "fleet",  "aoe",  "qaic",
                                          "training", "python", "c_api"};
  std::set<std::string> without_row;
  for (const char* root : {"src", "search", "knowledge_base"}) {
    const std::filesystem::path folder = testing::SourceDir() / root;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::filesystem::path inside = entry.path().lexically_relative(folder);
      const std::string extension = inside.extension().string();
      if ((extension != ".cc" && extension != ".h") ||
          programs.contains(inside.begin()->string())) {
        continue;
      }
      for (const std::string& name : NamesInTexts(entry.path())) {
        if (!known.contains(name) && !kOthers.contains(name)) {
          without_row.insert(name + " in " + inside.string());
        }
      }
    }
  }
  EXPECT_THAT(without_row, IsEmpty());
}

}  // namespace
}  // namespace halftone
