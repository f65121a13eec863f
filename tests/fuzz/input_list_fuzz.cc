// The -input-list-file.
#include "src/quantization/files/input_list.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto samples = ValueOrError([&] { return ParseInputList(TextOf(data, size), "list.txt"); });
  if (samples) {
    for (const auto& files : *samples) {
      Require(files.size() == samples->front().size(), "samples of several lengths");
    }
  }
  return 0;
}
