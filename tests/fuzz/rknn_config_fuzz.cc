// The quantization.cfg of RKNN-Toolkit that export patches.
#include "src/export/rknn_config.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<PlannedNode> nodes = {
      {.name = "conv",
       .type = "Conv",
       .output = "conv_out",
       .compute = *NumericFormat::Named("qint8")},
      {.name = "soft", .type = "Softmax", .output = "soft: x_out", .compute = DType::kFloat32}};
  const auto once =
      ValueOrError([&] { return PatchRknnConfig(TextOf(data, size), "n.cfg", nodes); });
  if (once) {
    Require(PatchRknnConfig(once->text, "n.cfg", nodes).text == once->text,
            "patching twice differs from patching once");
  }
  return 0;
}
