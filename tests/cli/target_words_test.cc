// What is printed and written of a search has the words of its target, and of no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Digits;
using testing::Halftone;
using testing::ProcessResult;

// Words that belong to the tool of one family alone; those of ATC's options are halftone's own,
// too.
constexpr const char* kOfAtcAlone[] = {"atc.sh", "ATC"};
constexpr const char* kOfAtcAndHalftone[] = {"mixlist",
                                             "keep_dtype",
                                             "customize",
                                             "force_fp16",
                                             "force_fp32",
                                             "must_keep_origin_dtype",
                                             "allow_mix_precision",
                                             "allow_fp32_to_fp16",
                                             "op_precision",
                                             "implementation mode",
                                             "implementation-mode",
                                             "OpType::"};
constexpr const char* kOfQaic[] = {"qaic", "-convert-to-fp16", "by kind",     "original precision",
                                   "Int8", "node_precision",   "kind change", "node precision"};

struct TargetCase {
  const char* name;
  const char* target;
  std::vector<const char*> foreign;  // words of others
  const char* own;  // a word that is there, so that the test reads what it means to
};

std::vector<const char*> All(std::initializer_list<std::span<const char* const>> lists) {
  std::vector<const char*> words;
  for (const auto& list : lists) {
    words.insert(words.end(), list.begin(), list.end());
  }
  return words;
}

// The texts of a JSON document but for the values that are options by their names.
void AddTexts(const json& value, std::string& text) {
  static const std::set<std::string> data = {"options", "arguments", "command", "node_formats"};
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_structured()) {
      if (!value.is_object() || !data.contains(key)) {
        AddTexts(inner, text);
      }
    } else if (inner.is_string() && (!value.is_object() || !data.contains(key))) {
      text += inner.get<std::string>() + "\n";
    }
  }
}

std::string TextsOf(const fs::path& file) {
  std::string text;
  AddTexts(json::parse(ReadFile(file)), text);
  return text;
}

// The page as it is read: its scripts hold the data once more.
std::string PageWithoutScripts(const fs::path& file) {
  std::string page = ReadFile(file);
  for (std::size_t begin = 0; (begin = page.find("<script", begin)) != std::string::npos;) {
    const std::size_t end = page.find("</script>", begin);
    page.erase(begin, end == std::string::npos ? end : end - begin);
  }
  return page;
}

// The command that the test typed stands in reports.
std::string WithoutCommands(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("--op_bank_path=") == std::string::npos) {
      rest += line + "\n";
    }
  }
  return rest;
}

class TargetWordsTest : public ::testing::TestWithParam<TargetCase> {
 protected:
  ~TargetWordsTest() override { fs::remove_all(folder_); }

  void Expect(const std::string& what, const std::string& text) const {
    std::istringstream lines(WithoutCommands(text));
    for (std::string line; std::getline(lines, line);) {
      for (const char* word : GetParam().foreign) {
        EXPECT_EQ(line.find(word), std::string::npos) << what << ": '" << word << "' in: " << line;
      }
    }
  }

  ProcessResult Run(std::vector<std::string> words) const {
    words.push_back("--op_bank_path=" + (folder_ / "bank").string());
    ProcessResult result = Halftone(words);
    Expect(words.front(), result.out + result.err);
    return result;
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_target_words_" + GetParam().name;
};

TEST_P(TargetWordsTest, AreAllThatIsSaid) {
  fs::remove_all(folder_);
  const std::string target = std::string("--soc_version=") + GetParam().target;
  const std::string model = "--model=" + Digits("model.onnx");
  const std::string inputs = "--inputs=" + Digits("search_inputs.npy");
  const fs::path out = folder_ / "out";
  // Modes with lists and dtypes of single operators are among the plans of any seed that has so
  // many of them.
  const ProcessResult tuned =
      Run({"tune", target, model, inputs, "--quantize=on", "--max_trials=60", "--max_samples=16",
           "--verbose", "--operator_tuning=off", "--output=" + out.string()});
  ASSERT_TRUE(tuned.exit_code == 0 || tuned.exit_code == 3) << tuned.err;
  std::string all = tuned.out + tuned.err;
  for (const auto& [file, text] :
       {std::pair("front.json", TextsOf(out / "front.json")),
        std::pair("report.md", ReadFile(out / "report.md")),
        std::pair("report.html", PageWithoutScripts(out / "report.html")),
        std::pair("junit.xml", ReadFile(out / "junit.xml"))}) {
    Expect(file, text);
    all += text;
  }
  EXPECT_NE(all.find(GetParam().own), std::string::npos) << all;
  Run({"tune", target, model, inputs, "--max_samples=16", "--strategy=random", "--max_trials=12",
       "--quantize=off", "--operator_tuning=off", "--search_again", "--verbose"});
  Run({"bank", "show", target});
  const ProcessResult run =
      Run({"run", model, inputs, "--max_samples=4", "--point=" + (out / "point_1").string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const ProcessResult compared = Halftone({"compare", out.string(), out.string()});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  Expect("compare", compared.out + compared.err);
}

INSTANTIATE_TEST_SUITE_P(
    Families, TargetWordsTest,
    ::testing::Values(TargetCase{"Host", "host", All({kOfAtcAlone, kOfQaic}), "must_keep_origin"},
                      TargetCase{"Ascend", "Ascend310P3", All({kOfQaic}), "atc.sh"},
                      TargetCase{"CloudAi", "cloud_ai_100", All({kOfAtcAlone, kOfAtcAndHalftone}),
                                 "-convert-to-fp16"}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace halftone
