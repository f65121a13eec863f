// The --customize_dtypes file.
#include "src/precision/files/customize_dtypes.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = ValueOrError([&] { return ParseCustomDTypes(TextOf(data, size), "c.cfg"); });
  if (!file) {
    return 0;
  }
  for (const std::string& warning : file->warnings) {
    Require(warning == Error(ErrorKind::kUsage, warning).what(), warning);
  }
  const auto text = ValueOrError([&] { return FormatCustomDTypes(file->entries); });
  if (text) {
    Require(ParseCustomDTypes(*text, "c.cfg").entries == file->entries,
            "the lines read back differ");
  }
  return 0;
}
