// The --op_precision_mode ini.
#include "src/precision/files/impl_mode_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ImplModeFile file = ParseImplModeFile(TextOf(data, size), "op_precision.ini");
  for (const std::string& warning : file.warnings) {
    Require(warning == Error(ErrorKind::kUsage, warning).what(), warning);
  }
  const auto text = ValueOrError([&] { return FormatImplModeFile(file); });
  if (text) {
    const ImplModeFile again = ParseImplModeFile(*text, "op_precision.ini");
    Require(again == file && again.warnings.empty(), "the file read back differs");
  }
  return 0;
}
