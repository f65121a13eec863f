// The .param of ncnn that export patches.
#include "src/export/ncnn_param.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<NcnnMask> masks = {
      {.name = "conv", .output = "conv_out", .asked = {}, .bits = 7},
      {.name = "", .output = "act_out", .asked = DType::kFloat16, .bits = 12}};
  const auto once =
      ValueOrError([&] { return PatchNcnnParam(TextOf(data, size), "n.param", masks); });
  if (once) {
    Require(PatchNcnnParam(once->text, "n.param", masks).text == once->text,
            "patching twice differs from patching once");
  }
  return 0;
}
