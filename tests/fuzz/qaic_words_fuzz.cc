// The words of a command line of the Cloud AI compiler, one a line.
#include "src/base/text.h"
#include "src/qaic/compile_options.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words;
  for (const std::string_view line : Split(TextOf(data, size), '\n')) {
    if (!line.empty()) {
      words.emplace_back(line);
    }
  }
  const auto options = ValueOrError([&] { return ParseQaicOptions(words); });
  if (!options) {
    return 0;
  }
  Require(!options->model.empty(), "a model is required");
  Require(!(options->to_fp16 && options->quantizes), "FP16 wins over quantization");
  Require(options->percentile >= 90 && options->percentile <= 100, "a percentile from 90 to 100");
  return 0;
}
