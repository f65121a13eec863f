// The -node-precision-info file.
#include "src/quantization/files/node_precision.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto names = ValueOrError([&] { return ParseNodePrecision(TextOf(data, size), "f.yaml"); });
  if (!names) {
    return 0;
  }
  const auto text = ValueOrError([&] { return WriteNodePrecision(*names); });  // or not UTF-8
  if (text) {
    Require(ParseNodePrecision(*text, "f.yaml") == *names, "the names read back differ");
  }
  return 0;
}
