// The text of --input_shape.

#include <fmt/format.h>

#include "src/onnx/reader.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto shapes = ValueOrError([&] { return ParseInputShapes(TextOf(data, size)); });
  if (!shapes) {
    return 0;
  }
  std::string text;
  for (const auto& [name, dims] : *shapes) {
    text += fmt::format("{}:{};", name, fmt::join(dims, ","));
  }
  Require(ParseInputShapes(text) == *shapes, "the shapes read back differ");
  return 0;
}
