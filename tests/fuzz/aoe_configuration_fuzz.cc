// aoe.ini.
#include "src/aoe/configuration.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto configuration =
      ValueOrError([&] { return ParseAoeConfiguration(TextOf(data, size), "aoe.ini"); });
  if (!configuration) {
    return 0;
  }
  Require(configuration->run_loop >= 1 && configuration->run_loop <= 2048 &&
              configuration->tuning_parallel_num >= 1 && configuration->tuning_parallel_num <= 64,
          "a number out of range");
  for (const std::string& warning : configuration->warnings) {
    RequireReadable(Error(ErrorKind::kUsage, warning));
  }
  return 0;
}
