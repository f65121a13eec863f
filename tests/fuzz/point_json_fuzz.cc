// point.json.
#include "src/api/options/point_record.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record =
      ValueOrError([&] { return ParsePointRecord(TextOf(data, size), "point.json"); });
  if (record) {
    const std::string written = FormatPointRecord(*record);
    Require(FormatPointRecord(ParsePointRecord(written, "point.json")) == written,
            "the record read back differs");
  }
  return 0;
}
