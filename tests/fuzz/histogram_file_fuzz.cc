// histograms.json.
#include "src/quantization/files/histogram_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = ValueOrError([&] { return ParseHistograms(TextOf(data, size), "h.json"); });
  if (file) {
    const CalibrationRecord again = ParseHistograms(WriteHistograms(*file), "h.json");
    Require(again == *file, "the file read back differs");
  }
  return 0;
}
