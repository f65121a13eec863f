// arguments.txt, and the other texts that are an option set.
#include "src/api/options/set_arguments.h"
#include "src/base/shell_words.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(TextOf(data, size));
  const auto words = ValueOrError([&] { return ShellWords(text); });
  if (!words) {
    return 0;
  }
  std::string written;
  for (const std::string& word : *words) {
    written += ShellWord(word) + "\n";
  }
  Require(ShellWords(written) == *words, "the words read back differ");
  ValueOrError([&] { return ParseSetArguments(text, "folder"); });
  return 0;
}
