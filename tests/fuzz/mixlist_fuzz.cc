// The --modify_mixlist file.
#include "src/precision/files/mixlist.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto mixlist = ValueOrError([&] { return ParseMixlist(TextOf(data, size), "m.json"); });
  if (mixlist) {
    Require(ParseMixlist(FormatMixlist(*mixlist), "m.json") == *mixlist,
            "the lists read back differ");
  }
  return 0;
}
