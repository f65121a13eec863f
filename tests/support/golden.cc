#include "tests/support/golden.h"

#include <cstdlib>
#include <filesystem>

#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/support/paths.h"

namespace halftone::testing {

::testing::AssertionResult MatchesGolden(std::string_view actual, const std::string& name) {
  const std::filesystem::path path = SourceDir() / "tests/golden" / name;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    WriteFileAtomically(path, actual);
    return ::testing::AssertionSuccess();
  }
  if (!std::filesystem::exists(path)) {
    return ::testing::AssertionFailure()
           << "there is no " << path << "; make it with UPDATE_GOLDEN=1";
  }
  const std::string expected = ReadFile(path);
  if (expected == actual) {
    return ::testing::AssertionSuccess();
  }
  const auto want = Split(expected, '\n');
  const auto got = Split(actual, '\n');
  std::size_t line = 0;
  while (line < want.size() && line < got.size() && want[line] == got[line]) {
    ++line;
  }
  return ::testing::AssertionFailure()
         << name << " line " << line + 1
         << ":\nexpected: " << (line < want.size() ? want[line] : "<end of file>")
         << "\nactual:   " << (line < got.size() ? got[line] : "<end of text>")
         << "\nUPDATE_GOLDEN=1 rewrites the file";
}

}  // namespace halftone::testing
