// AMCT's simple configuration, in the text form of protocol buffers.
#include "src/quantization/files/amct_config.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = ValueOrError([&] { return ParseAmctConfig(TextOf(data, size), "q.cfg"); });
  if (config) {
    Require(ParseAmctConfig(WriteAmctConfig(*config), "q.cfg") == *config,
            "the configuration read back differs");
  }
  return 0;
}
