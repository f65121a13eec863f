// The -custom-IO-list-file.
#include "src/quantization/files/custom_io.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = ValueOrError([&] { return ParseCustomIo(TextOf(data, size), "f.yaml"); });
  if (!entries) {
    return 0;
  }
  const auto text = ValueOrError([&] { return WriteCustomIo(*entries); });  // or not UTF-8
  if (text) {
    Require(ParseCustomIo(*text, "f.yaml") == *entries, "the entries read back differ");
  }
  ValueOrError([&] {
    CheckCustomIo(*entries, std::vector<IoTensor>{{.name = "a", .rank = 3, .precision = {}}},
                  "f.yaml");
    return 0;
  });
  return 0;
}
