// The --tune_ops_file.
#include "src/aoe/tune_ops_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto ops = ValueOrError([&] { return ParseTuneOps(TextOf(data, size), "ops.json"); });
  if (ops) {
    Require(!ops->names.contains("") && !ops->types.contains(""), "an empty name");
  }
  return 0;
}
