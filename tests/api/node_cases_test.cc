// The node tests of the ONNX project, run as a user runs them: operands at run time, the kernels
// that a network would get. Each case is a row; tests/data/onnx/node_exceptions.txt lists those
// that do not pass, each with its reason, and UPDATE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "tests/data/onnx/node_exceptions.txt";

// The end of a message, without the path and the node in front of it.
std::string ReasonOf(const std::string& detail) {
  const std::size_t node = detail.find("): ");
  const std::size_t start = node == std::string::npos ? 0 : node + 3;
  return detail.substr(start, detail.find(';', start) - start);
}

// Lines "<set>/<case> <reason>"; "#" starts a remark.
std::map<std::string, std::string> Exceptions() {
  std::map<std::string, std::string> exceptions;
  const std::string text = ReadFile(testing::SourceDir() / kList);
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t blank = line.find(' ');
    if (!line.empty() && line[0] != '#' && blank != std::string_view::npos) {
      exceptions.emplace(line.substr(0, blank), line.substr(blank + 1));
    }
  }
  return exceptions;
}

std::vector<fs::path> Cases(const fs::path& collection) {
  std::vector<fs::path> cases;
  for (const auto& set : fs::directory_iterator(collection)) {
    for (const auto& entry : fs::directory_iterator(set.is_directory() ? set.path() : collection)) {
      if (set.is_directory() && fs::exists(entry.path() / "model.onnx")) {
        cases.push_back(entry.path());
      }
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

TEST(NodeCases, PassOrAreListedWithAReason) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "onnx-node-tests")) {
    GTEST_SKIP() << "no node tests beside the source tree";
  }
  const auto listed = Exceptions();
  const char* update = std::getenv("UPDATE_GOLDEN");
  const bool writes = update != nullptr && std::string_view(update) == "1";
  std::string failures =
      "# Node tests of the ONNX project that do not pass, and why; see "
      "tests/api/node_cases_test.cc\n";
  for (const fs::path& folder : Cases(*shared / "onnx-node-tests")) {
    const std::string name =
        folder.parent_path().filename().string() + "/" + folder.filename().string();
    const CheckResult result = CheckFolder(folder);
    if (!result.passed) {
      failures += name + " " + ReasonOf(result.detail) + "\n";
    }
    if (writes) {
      continue;
    }
    const auto found = listed.find(name);
    if (found == listed.end()) {
      EXPECT_TRUE(result.passed) << name << ": " << result.detail;
    } else {
      EXPECT_FALSE(result.passed) << name << " passes: take it from " << kList;
      EXPECT_FALSE(found->second.empty()) << name;
    }
  }
  if (writes) {
    WriteFileAtomically(testing::SourceDir() / kList, failures);
  }
}

}  // namespace
}  // namespace halftone
