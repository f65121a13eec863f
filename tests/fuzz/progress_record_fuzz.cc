// Files of --progress_file.
#include <cmath>

#include "src/api/progress_record.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = ValueOrError([&] { return ParseProgress(TextOf(data, size), "p.json"); });
  if (record) {
    Require(std::isfinite(record->elapsed_s) && record->elapsed_s >= 0, "a time below 0");
    Require(ParseProgress(FormatProgress(*record), "p.json") == *record,
            "the record read back differs");
  }
  return 0;
}
