// The file of --compression_optimize_conf.
#include "src/quantization/files/compression_config.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  const auto config = ValueOrError([&] { return ParseCompressionConfig(text, "c.cfg"); });
  if (config) {
    Require(ParseCompressionConfig(WriteCompressionConfig(*config), "c.cfg") == *config,
            "the configuration read back differs");
  }
  RequireReadable(Error(ErrorKind::kUsage, "x" + RefusesCalibration({.op_precision_mode = text})));
  return 0;
}
