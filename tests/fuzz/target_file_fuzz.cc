// Target files (--soc_version=<file>.ini), which may inherit from the built-in ones.
#include "src/target/builtin_targets.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ValueOrError([&] { return ParseOwnTargetFile(TextOf(data, size), "own.ini"); });
  return 0;
}
