// The --fusion_switch_file.
#include "src/passes/fusion_switches.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto off = ValueOrError([&] { return ParseFusionSwitches(TextOf(data, size), "f.json"); });
  if (off) {
    Require(ParseFusionSwitches(FormatFusionSwitches(*off), "f.json") == *off,
            "the switches read back differ");
  }
  return 0;
}
