// The --keep_dtype file.
#include "src/precision/files/keep_dtype.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = ValueOrError([&] { return ParseKeepDtype(TextOf(data, size), "keep.cfg"); });
  if (!lines) {
    return 0;
  }
  const auto file = ValueOrError([&] { return FormatKeepDtype(*lines); });
  if (file) {
    Require(ParseKeepDtype(*file, "keep.cfg") == *lines, "the lines read back differ");
  }
  return 0;
}
