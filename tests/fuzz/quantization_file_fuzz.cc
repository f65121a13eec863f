// quantization.json.
#include "src/quantization/files/quantization_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = ValueOrError([&] { return ParseQuantization(TextOf(data, size), "q.json"); });
  if (file) {
    const QuantizationFile again = ParseQuantization(WriteQuantization(*file), "q.json");
    Require(again == *file, "the file read back differs");
    Require(again.quantization.Digest() == file->quantization.Digest(), "the digest differs");
  }
  return 0;
}
